// Access lists: parsing of getfacl's output, and states.
import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import acl from './module.ts'

const PRINTED = `getfacl: Removing leading '/' from absolute path names
# file: /srv/a
# owner: root
# group: staff
# flags: -s-
user::rwx
user:ann:r-x
group::r--
mask::r-x
other::---
default:user::rwx
default:user:bob:-w-
`

function commands(stdout = '') {
  const ran: Plain[] = []
  const others: NonNullable<Trial['others']> = {
    'cmd.run': ([line]: readonly Value[], kwargs) => {
      ran.push([toPlain(line!), toPlain((kwargs as Record<string, Value>)['raise_err'] ?? null)])
      return stdout
    },
  }
  return { ran, others }
}

test('getfacl gives entries without a name the name of the owner', async () => {
  const { ran, others } = commands(PRINTED)
  const rights = (octal: number) => ({
    permissions: { read: octal >= 4, write: (octal & 2) > 0, execute: octal % 2 === 1 },
    octal,
  })
  expect(toPlain(await tryFunction(acl, 'getfacl', { args: ['/srv/a'], kwargs: { recursive: true }, others }))).toEqual(
    {
      '/srv/a': {
        comment: { file: '/srv/a', owner: 'root', group: 'staff', flags: '-s-' },
        user: [{ root: rights(7) }, { ann: rights(5) }],
        group: [{ staff: rights(4) }],
        sgid: true,
        mask: [{ '': rights(5) }],
        other: [{ '': rights(0) }],
        defaults: { user: [{ root: rights(7) }, { bob: rights(2) }] },
      },
    },
  )
  expect(ran).toEqual([['getfacl --absolute-names -R "/srv/a"', null]])
})

describe('acl asks setfacl', () => {
  test.each<[string, Value[], Record<string, Value>, string, boolean]>([
    ['modfacl', ['user', 'ann', 'rwx', '/a', '/b'], {}, 'setfacl -m u:ann:rwx "/a" "/b"', false],
    ['modfacl', ['d:g', 'ops', 7, '/a'], { recursive: true, raise_err: true }, 'setfacl -R -m d:g:ops:7 "/a"', true],
    ['delfacl', ['default:user', 'ann', '/a'], {}, 'setfacl -x d:u:ann "/a"', false],
  ])('%s %j', async (name, args, kwargs, line, raises) => {
    const { ran, others } = commands()
    expect(await tryFunction(acl, name, { args, kwargs, others })).toBe(true)
    expect(ran).toEqual([[line, raises]])
  })

  test('only for files that it was given', async () => {
    await expect(tryFunction(acl, 'wipefacls', {})).rejects.toThrow('You need to specify at least one file')
  })
})

test('version is that of getfacl', async () => {
  const { others } = commands('getfacl 2.3.1')
  expect(await tryFunction(acl, 'version', { others })).toBe('2.3.1')
})

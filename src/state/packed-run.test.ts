// `state.pkg`: runs from a tarball, with its own files, pillar and grains.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { renderText } from '../render/mod.ts'
import { LocalTree } from './local-tree.ts'
import { stateEngine } from './open-states.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-packed-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function packed(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(root, 'files-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  spawnSync('tar', ['czf', `${folder}.tgz`, '-C', folder, '.'])
  return `${folder}.tgz`
}

const sumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

async function apply(path: string, sum: string, kwargs: Record<string, Value> = {}): Promise<unknown> {
  const host = new LocalHost()
  const opts = fromPlain({ id: 'web1', file_client: 'local', file_roots: {}, cachedir: join(root, 'cache') }) as Dict
  const data = { opts, grains: new Map<Value, Value>([['os', 'Debian']]), pillar: new Map<Value, Value>() }
  const functions: Registry = new Registry(moduleTable, {
    ...data,
    host,
    render: async ({ text, ...request }) => (await renderText(text, { ...request, ...data, functions })).value,
    openStates: stateEngine({ tree: (own) => new LocalTree(own, host) }),
  })
  return toPlain(await functions.call('state.pkg', [path, sum, 'sha256'], kwargs))
}

const chunk = (more: Record<string, unknown>) => ({ __id__: 'a', __sls__: 'web', __env__: 'base', order: 1, ...more })

test('a packed run takes files, pillar and grains from its tarball', async () => {
  const name = join(root, 'motd')
  const path = packed({
    'lowstate.json': [
      chunk({ state: 'file', fun: 'managed', name, source: 'salt://web/motd', template: 'jinja' }),
      chunk({ state: 'test', fun: 'nop', name: 'after', __id__: 'b', order: 2, require: [{ file: 'a' }] }),
    ],
    'pillar.json': { site: 'north' },
    'roster_grains.json': { os: 'Other' },
    'base/web/motd': '{{ pillar.site }} {{ grains.os }}\n',
  })
  const ret = (await apply(path, sumOf(path))) as Record<string, { result: boolean }>
  expect(Object.values(ret).map(({ result }) => result)).toEqual([true, true])
  expect(readFileSync(name, 'utf8')).toBe('north Other\n')
  const again = (await apply(path, sumOf(path), { test: true })) as Record<string, { comment: string }>
  expect(Object.values(again)[0]!.comment).toBe(`The file ${name} is in the correct state`)
})

test('a package with another checksum, or a missing one, gives an empty result', async () => {
  const path = packed({ 'lowstate.json': [] })
  expect(await apply(path, '0')).toEqual({})
  expect(await apply(join(root, 'none'), '0')).toEqual({})
})

test('a package of errors returns the errors, and an incomplete one is reported', async () => {
  const errors = packed({ 'lowstate.json': ['Rendering failed'] })
  expect(await apply(errors, sumOf(errors))).toEqual(['Rendering failed'])
  const lacking = packed({
    'lowstate.json': [chunk({ state: 'test', fun: 'nop', name: 'a', require: [{ test: 'z' }] })],
  })
  expect(JSON.stringify(await apply(lacking, sumOf(lacking)))).toContain(
    'Referenced state does not exist for requisite [require: (test: z)]',
  )
})

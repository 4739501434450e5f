import { describe, expect, it } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import pkgrepo from './pkgrepo.state.ts'

const LINE = 'deb http://x.example.com/debian stable main'

const debianRepo = (changes: Record<string, Value> = {}): Dict =>
  new Map<Value, Value>(
    Object.entries({
      file: '/etc/apt/sources.list',
      comps: ['main'],
      disabled: false,
      enabled: true,
      dist: 'stable',
      suites: ['stable'],
      type: 'deb',
      types: ['deb'],
      uri: 'http://x.example.com/debian',
      uris: ['http://x.example.com/debian'],
      line: LINE,
      architectures: [],
      signedby: '',
      ...changes,
    }),
  )

/** A machine with one package source, or none. */
function machine(family: string, present: Dict, after: Dict = present) {
  const calls: [string, Value, Map<string, Value>][] = []
  let current = present
  const others: StateTrial['others'] = {
    'pkg.get_repo': () => new Map(current),
    'pkg.list_repos': () => new Map(),
    'pkg.mod_repo': ([repo], kwargs) => {
      calls.push(['mod_repo', repo!, new Map(kwargs as Map<string, Value>)])
      current = after
      return new Map()
    },
    'pkg.del_repo': (_args, kwargs) => {
      calls.push(['del_repo', (kwargs as Map<string, Value>).get('repo')!, new Map()])
      return ''
    },
  }
  const grains: Dict = new Map([
    ['os', family],
    ['os_family', family],
    ['oscodename', 'bookworm'],
  ])
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) => {
    const report = await tryState(pkgrepo, fun, { kwargs, grains, others, test })
    return { result: report.get('result'), comment: report.get('comment'), changes: report.get('changes') as Dict }
  }
  return { apply, calls }
}

describe('pkgrepo.managed', () => {
  it('leaves a source alone that is as wanted', async () => {
    const { apply, calls } = machine('Debian', debianRepo())
    const report = await apply('managed', { name: LINE, file: '/etc/apt/sources.list.d/x.list' })
    expect(report).toMatchObject({ result: true, comment: `Package repo '${LINE}' already configured` })
    expect(calls).toEqual([])
  })

  it('adds components, and reports the changes', async () => {
    const after = debianRepo({ comps: ['main', 'contrib'], line: `${LINE} contrib` })
    const { apply, calls } = machine('Debian', debianRepo(), after)
    const report = await apply('managed', { name: LINE, comps: 'main,contrib' })
    expect(report).toMatchObject({ result: true, comment: `Configured package repo '${LINE}'` })
    expect([...report.changes.keys()]).toEqual(['comps', 'line'])
    expect(calls[0]![2].get('disabled')).toBe(false)
  })

  it('foretells a new source', async () => {
    const report = await machine('Debian', new Map()).apply('managed', { name: LINE }, true)
    expect(report.result).toBeNull()
    expect(report.changes).toEqual(new Map([['repo', LINE]]))
  })

  it('hands options of repository files on, the human name as name', async () => {
    const { apply, calls } = machine('RedHat', new Map(), new Map([['name', 'Extra']]))
    await apply('managed', { name: 'extra', humanname: 'Extra', baseurl: 'http://x', disabled: false })
    expect(calls).toEqual([
      ['mod_repo', 'extra', new Map(Object.entries({ baseurl: 'http://x', name: 'Extra', enabled: true }))],
    ])
  })

  it.each([
    [{ repo: 'x' }, /^'repo' is not a supported argument/],
    [{ enabled: true, disabled: true }, /^Only one of enabled\/disabled is allowed$/],
    [{ key_url: 'http://x', allow_insecure_key: false }, /^Cannot have 'key_url' using http/],
  ])('refuses %j', async (options, comment) => {
    const report = await machine('Debian', new Map()).apply('managed', { name: LINE, ...options })
    expect(report.result).toBe(false)
    expect(report.comment).toMatch(comment)
  })
})

describe('pkgrepo.absent', () => {
  it('deletes the source', async () => {
    const { apply, calls } = machine('Debian', debianRepo())
    const name = 'deb http://x.example.com/debian/ stable main'
    expect(await apply('absent', { name })).toMatchObject({ result: true, comment: `Removed repo ${name}` })
    expect(calls).toEqual([['del_repo', LINE, new Map()]])
  })

  it('does not take a source for other architectures', async () => {
    const { apply } = machine('Debian', debianRepo({ architectures: ['amd64'] }))
    expect(await apply('absent', { name: LINE })).toMatchObject({ comment: `Package repo ${LINE} is absent` })
  })
})

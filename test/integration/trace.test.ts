// The whole chain on real daemons: a file changes, the beacon tells, the reactor starts an orchestration, its steps have a
// minion apply states; and trace.show tells it all, with files and lines, from either end.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDict, isList, str, type Value } from '../../src/data/mod.ts'
import { displayPlain } from '../../src/output/mod.ts'
import { eventually } from '../eventually.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
const at = (...path: string[]): string => join(site.root, ...path)

function write(path: string, ...lines: string[]): void {
  writeFileSync(at(path), `${lines.join('\n')}\n`)
}

beforeAll(async () => {
  site = await TestSite.open()
  mkdirSync(at('srv/orch'), { recursive: true })
  mkdirSync(at('master/etc/master.d'), { recursive: true })
  write('watched.conf', 'one')
  write(
    'master/etc/master.d/reactor.conf',
    '# what is done',
    'reactor:',
    "  - 'salt/beacon/*/inotify/*':",
    `      - ${at('react.sls')}`,
  )
  write(
    'react.sls',
    "{% if data['change'] == 'IN_MODIFY' %}",
    'repair:',
    '  runner.state.orchestrate:',
    '    - args:',
    '      - mods: orch.repair',
    '{% endif %}',
  )
  write(
    'srv/orch/repair.sls',
    '# steps',
    'look:',
    '  salt.function:',
    '    - name: test.echo',
    '    - tgt: web1',
    '    - arg: [hello]',
    'apply it:',
    '  salt.state:',
    '    - tgt: web1',
    '    - sls: repair',
    '    - require:',
    '      - salt: look',
  )
  write(
    'srv/repair.sls',
    'repaired:',
    '  file.managed:',
    `    - name: ${at('repaired.conf')}`,
    '    - contents: fine',
    'broken:',
    '  test.fail_without_changes: []',
  )
  // one change is enough, however often the file is written to before the beacon sees it
  const limits = { 'salt/beacon/*': { rate: 1, per: 600 } }
  // the id of a job that a user starts ends with the number of the process
  master = await site.master('master', '127.0.0.1', { reactor_limits: limits, unique_jid: true })
  const files = new Map<string, unknown>([[at('watched.conf'), { mask: ['modify'] }]])
  await site.minion('web1', { beacons: { inotify: [{ files: Object.fromEntries(files) }, { interval: 0.2 }] } })
  await master.event(/^salt\/minion\/web1\/start$/)
})
afterAll(() => site?.close())

/** Return the links from the first to the last: kind, subject, place below the site, and result. */
function links(value: Value): string[] {
  if (!isDict(value)) return [str(value)]
  const text = (name: string): string => (value.has(name) ? ` ${str(value.get(name)!)}` : '')
  const own = `${str(value.get('link')!)}${text('what')}${text('place')}${text('state')}`.replaceAll(
    `${site.root}/`,
    '',
  )
  const next = value.get('next') ?? []
  return [own, ...(isList(next) ? next.flatMap(links) : [])]
}

describe('trace.show', () => {
  it('shows the chain from the beacon to the state, from either end', async () => {
    await expect
      .poll(
        () => {
          appendFileSync(at('watched.conf'), 'two\n')
          return master.seen.some(({ tag }) => tag.startsWith('salt/beacon/web1/inotify'))
        },
        { interval: 500 },
      )
      .toBe(true)
    await master.event(/^salt\/job\/\d+\/sub\/web1\/error/)
    const { data } = await master.event(/^salt\/run\/\d+\/ret$/)
    const chain = [
      'beacon inotify of web1',
      `event salt/beacon/web1/inotify/${at('watched.conf')}`.replaceAll(`${site.root}/`, ''),
      'reaction salt/beacon/*/inotify/* master/etc/master.d/reactor.conf:3',
      'call repair: runner.state.orchestrate react.sls:2 failed',
      'job runner.state.orchestrate',
      'orchestration orch.repair failed',
      'step look: salt.function srv/orch/repair.sls:3 done',
      'job test.echo hello on web1',
      'minion web1 done',
      'step apply it: salt.state srv/orch/repair.sls:8 failed',
      'job state.sls repair on web1',
      'minion web1 failed',
      'state file.managed repaired srv/repair.sls:1 changed',
      'state test.fail_without_changes broken srv/repair.sls:5 failed',
    ]
    // the event of a return may come before the return is stored
    let whole: Value = null
    await eventually(async () => {
      whole = (await master.run('trace.show', [str(data.get('jid')!)])).value
      expect(links(whole)).toEqual(chain)
    })

    const below = master.seen.find(({ tag, data }) => /\/new$/.test(tag) && data.get('fun') === 'state.sls')!
    const upwards = await master.run('trace.show', [str(below.data.get('jid')!)])
    expect(links(upwards.value)).toEqual(chain.filter((line) => !/look|echo|web1 done/.test(line)))

    const text = displayPlain('trace', whole)
    expect(text).toContain('└─ event ')
    expect(text).toContain(`reaction 1 salt/beacon/*/inotify/*  ${at('master/etc/master.d/reactor.conf')}:3`)
    expect(text).toContain('Failure!')
  })

  it('reports what has no trace', async () => {
    for (const [what, text] of [
      ['20200101000000000000', /There is no job 20200101000000000000/],
      ['20200101000000000000_4711', /There is no job 20200101000000000000_4711/],
      ['nothing/*', /There is no event with tag 'nothing\/\*' in the journal/],
      [999_999_999, /There is no event 999999999/],
    ] as const) {
      expect((await master.run('trace.show', [what])).value).toMatch(text)
    }
  })

  it('shows who started a job', async () => {
    await master.ask('web1', 'test.ping')
    const jid = master.seen.findLast(({ tag }) => /\/ret\/web1$/.test(tag))!.data.get('jid')!
    expect(jid).toMatch(/^\d{20}_\d+$/)
    const { value } = await master.run('trace.show', [jid])
    expect(links(value)).toEqual([`user ${master.user}`, 'job test.ping on web1', 'minion web1 done'])
  })
})

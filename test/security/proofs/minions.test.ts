// A hostile accepted minion. It acts only for itself: not for another minion, not for the master, and not towards
// clients that wait for jobs.
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { firedEvent, type RogueMinion } from './attacker.ts'
import { field, pack } from './msgpack.ts'
import { Site } from './site.ts'

const REACTION = `
{% if data.get('forged_by') %}
leave_mark:
  local.cmd.run:
    - tgt: db1
    - args:
      - cmd: touch <ROOT>/marks/reacted-{{ tag | replace('/', '-') }}
{% endif %}
`

const CANARY = 'canary-pillar-7731'
const FORGED = 'forged-by-evil'

let site: Site
let evil: RogueMinion
let onJob: (load: unknown) => void = () => {}

beforeAll(async () => {
  const reaction = ['<ROOT>/react.sls']
  site = await Site.open({
    master: {
      reactor: [{ 'salt/key': reaction }, { 'salt/auth': reaction }, { 'salt/run/*': reaction }, { key: reaction }],
    },
    minions: { db1: {}, web1: {} },
    files: {
      'react.sls': REACTION,
      'srv/pillar/top.sls': 'base: {db1: [secret]}\n',
      'srv/pillar/secret.sls': `word: ${CANARY}\n`,
    },
  })
  evil = await site.rogue('evil')
  await evil.listen((load) => onJob(load))
})
beforeEach(async () => {
  onJob = () => {}
  await site.revive()
})
afterAll(() => site.close())

const events = (tag: string, data: object): Promise<unknown> =>
  evil.ask({ cmd: '_minion_event', events: [{ tag, data }], pretag: null })

describe('the event of a minion', () => {
  const jid = '20990101000000000007'
  const tags = [
    'salt/key',
    'salt/auth',
    'key',
    `salt/run/${jid}/new`,
    `salt/run/${jid}/ret`,
    `salt/wheel/${jid}/new`,
    `salt/job/${jid}/new`,
    `salt/job/${jid}/publish`,
    `salt/job/${jid}/ret/db1`,
    'salt/minion/db1/start',
    'salt/beacon/db1/load/',
    'salt/presence/present',
    'salt/presence/change',
    `salt/batch/${jid}/stop`,
    `salt/batch/${jid}/done`,
  ]
  const data = { id: 'db1', act: 'pend', result: false, return: FORGED, fun: 'test.ping', jid, forged_by: 'evil' }

  it.each(tags)('is not told as the master speaks, or another minion: %s', async (tag) => {
    await events(tag, data)
    await evil.ask({ cmd: '_minion_event', tag, data, forged_by: 'evil' })
    await evil.ask({
      cmd: '_minion_event',
      tag,
      data,
      forged_by: 'evil',
      pretag: 'syndic/evil',
      events: [{ tag, data }],
    })
    // the names of failed states become tags
    for (const name of [tag, `${tag}_|-a_|-b_|-`, tag.replace('/', '_|-a_|-b_|-')])
      await evil.ask({
        cmd: '_return',
        jid: 'req',
        fun: 'state.apply',
        retcode: 1,
        success: false,
        return: { [name]: data },
      })
    await site.settled()
    expect(site.events.filter((event) => event.tag === tag && pack(event.data).includes('forged_by'))).toEqual([])
    expect(site.marks).not.toContain(`reacted-${tag.replaceAll('/', '-')}`)
  })

  it('is told under a tag of its own', async () => {
    await events('my/own/tag', { word: 'plain' })
    expect(site.toldWith('plain')).toEqual(['my/own/tag'])
  })
})

describe('the answer of another minion', () => {
  it('is not forged for a waiting program', async () => {
    onJob = (load) => {
      if (field(load, 'fun') !== 'cmd.run') return
      const jid = String(field(load, 'jid'))
      const answer = { id: 'db1', jid, fun: 'cmd.run', return: FORGED, retcode: 0, success: true }
      for (const tag of ['ret/evil', 'ret/db1', 'ret/db1/evil', 'ret/evil/db1', 'sub/evil/ret/evil'])
        void events(`salt/job/${jid}/${tag}`, answer)
      void evil.ask({ cmd: '_minion_event', tag: `salt/job/${jid}/ret/evil`, data: answer, ...answer, id: 'evil' })
      void evil.ask({ cmd: '_return', ...answer, id: 'evil', resource_id: 'db1' })
      void evil.ask({ cmd: '_return', ...answer })
      void evil.ask({ cmd: '_syndic_return', load: [{ jid, return: { db1: answer } }], jid, return: { db1: answer } })
    }
    const { stdout, status } = await site.run("salt db1 cmd.run 'sleep 1; echo genuine'")
    expect(stdout).toContain('genuine')
    expect(stdout).not.toContain(FORGED)
    expect(status).toBe(0)
  })

  it('is not kept under the name of something that the minion does not look after', async () => {
    const jid = await site.publish('db1', 'test.ping', [])
    for (const resource_id of ['newhost', 'db1', 'web1', '../x'])
      await evil.ask({ cmd: '_return', jid, fun: 'test.ping', retcode: 0, return: FORGED, resource_id })
    await site.settled()
    const tags = site.events.filter(({ data }) => field(data, 'return') === FORGED).map(({ tag }) => tag)
    expect(tags.filter((tag) => tag !== `salt/job/${jid}/ret/evil` && tag.includes(jid))).toEqual([])
  })
})

describe('a batch', () => {
  it('is not stopped by a minion', async () => {
    onJob = (load) => {
      const jid = String(field(load, 'jid'))
      if (field(load, 'fun') === 'cmd.run') void events(`salt/batch/${jid}/stop`, { reason: 'cancelled', jid })
    }
    const { stdout, status } = await site.run("salt -L db1,web1 -b 1 cmd.run 'sleep 1; echo batch-ran'")
    expect(stdout.match(/batch-ran/g)).toHaveLength(2)
    expect(status).toBe(0)
  })

  it('that was stopped is no success', async () => {
    const since = site.events.length
    const running = site.run("salt -L db1,web1 -b 1 cmd.run 'sleep 2; echo batch-ran'")
    const { tag } = await site.event((each) => /^salt\/batch\/\d+\/new$/.test(each), undefined, since)
    const socket = connect(join(site.cluster.sockets, 'master_event_pull.ipc'))
    await once(socket, 'connect')
    socket.end(firedEvent(tag.replace(/new$/, 'stop'), { reason: 'stop' }))
    const { status, stdout } = await running
    expect(stdout.match(/batch-ran/g)?.length ?? 0).toBeLessThan(2)
    expect(status).not.toBe(0)
  })
})

describe('held before', () => {
  it.each([
    { ext: { cmd_yaml: 'touch <marks>/ext' } },
    { saltenv: '../../../../etc' },
    { pillarenv: '../..' },
    { id: 'db1' },
    { grains: { id: 'db1', nodename: 'db1' } },
  ])('the pillar of another minion does not come with %j', async (load) => {
    const placed = JSON.parse(JSON.stringify(load).replace('<marks>', site.path('marks')))
    expect(pack(await evil.pillar(placed)).includes(CANARY)).toBe(false)
    expect(site.marks).not.toContain('ext')
  })

  const templates = [
    "{{ ''.constructor.constructor('return process')() }}",
    "{{ {}['constructor'] }}",
    '{{ {}.__proto__ }}',
    "{{ 'a'|attr('constructor') }}",
    "{{ [1]|map(attribute='constructor')|list }}",
    "{{ [1]|map('constructor')|list }}",
    '{{ cycler.constructor }}',
    "{% set ns = namespace() %}{% set ns.__proto__ = {'a': 1} %}{{ ({}).a }}",
    '{{ range.call }}{{ range.body }}',
    "{{ ''.strip.method }}{{ ''.strip.self }}",
    '{% macro m() %}{{ m.rt }}{{ m.body }}{{ m.call }}{% endmacro %}{{ m() }}',
    '{% block constructor %}x{% endblock %}{{ self.constructor() }}',
    '{{ globalThis }}{{ process }}{{ require }}',
    "{{ '`${process.exit(1)}`' }}{{ \"'+process.exit(1)+'\" }}",
    "{{ '{0.constructor}'.format([]) }}{{ '{0.__class__}'.format(1) }}",
    "{{ lipsum.__globals__ }}{{ ''.__class__ }}",
    "{{ range(999999999)|list|length }}{{ 'a' * 999999999999 }}",
    "{{ 'x'.rjust(99999999999) }}{{ 2 ** 99999999 }}",
  ]

  it('templates reach nothing of JavaScript', async () => {
    const pid = site.cluster.pidOf('db1')
    const answers = await Promise.all(
      templates.map((string) =>
        site.answer('db1', 'slsutil.renderer', [{ __kwarg__: true, string, default_renderer: 'jinja' }]),
      ),
    )
    for (const answer of answers)
      expect(String(answer)).not.toMatch(/native code|\[object |function \w*\(|class \w+ \{/)
    expect(await site.answer('db1', 'test.ping')).toBe(true)
    expect(site.cluster.pidOf('db1')).toBe(pid)
  })
})

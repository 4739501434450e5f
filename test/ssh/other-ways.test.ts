// The other ways into salt-ssh: functions of targets, runner functions, orchestration, jobs of the master, and the API.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saltSsh } from '../../src/cli/ssh/main.ts'
import { type Dict, toPlain, type Value } from '../../src/data/mod.ts'
import { ApiSite } from '../api/api-site.ts'
import { OtlpCollector, type Span } from '../otlp.ts'
import { until } from '../until.ts'
import { type SshRoster, startRoster } from './ssh-site.ts'
import { noSshd } from './sshd.ts'

describe.skipIf(noSshd !== undefined)('targets of salt-ssh', () => {
  let roster: SshRoster
  let site: ApiSite
  let collector: OtlpCollector

  beforeAll(async () => {
    collector = await new OtlpCollector().open()
    roster = await startRoster(['web1', 'web2', 'db1'])
    const offered = join(roster.sshd.folder, 'offered')
    mkdirSync(offered)
    writeFileSync(join(offered, 'few'), JSON.stringify({ few1: { host: '127.0.0.1', port: roster.sshd.port } }))
    const pillar = join(roster.sshd.folder, 'pillar')
    mkdirSync(pillar)
    writeFileSync(join(pillar, 'top.sls'), 'base:\n  "*": [own]\n')
    writeFileSync(join(pillar, 'own.sls'), 'own: {{ grains.id }}\n')
    site = await ApiSite.open([], {
      ...roster.options,
      rosters: [offered],
      pillar_roots: { base: [pillar] },
      enable_ssh_minions: true,
      netapi_enable_clients: ['ssh', 'local'],
      netapi_allow_raw_shell: true,
      tracing: { enabled: true, endpoint: collector.endpoint('traces') },
    })
    const put = (name: string, text: string): void => writeFileSync(join(site.site.root, 'srv', `${name}.sls`), text)
    put('nothing', 'x:\n  test.nop: []\n')
    put('given', '/tmp/given:\n  file.managed:\n    - template: jinja\n    - contents: {{ pillar.text | json }}\n')
    put('source', '/tmp/given:\n  file.managed:\n    - template: jinja\n    - source: /etc/hostname\n')
    put(
      'steps',
      `
states:
  salt.state:
    - tgt: 'web*'
    - ssh: True
    - roster: flat
    - sls: nothing
function:
  salt.function:
    - name: test.echo
    - tgt: web1
    - ssh: True
    - arg: ['a b']
failing:
  salt.function:
    - name: test.nosuch
    - tgt: web1
    - ssh: True
`,
    )
  })
  afterAll(async () => {
    await site?.close()
    await roster?.sshd.stop()
    await collector?.close()
  })

  const run = async (fun: string, args: Value[], kwargs: Record<string, Value> = {}) =>
    toPlain((await site.master.run(fun, args, kwargs)).value)

  test('a runner function runs on targets and gives whole answers', async () => {
    expect(await run('ssh.cmd', ['web1', 'test.echo', ['x']])).toMatchObject({
      web1: { id: 'web1', fun: 'test.echo', fun_args: ['x'], return: 'x', retcode: 0 },
    })
    expect(await run('ssh.cmd', ['nobody', 'test.ping'])).toEqual({})
  })

  test('functions of a target reach other targets and the master', async () => {
    const called = async (fun: string, args: Value[], kwarg: Record<string, Value> = {}) => {
      const answers = await run('ssh.cmd', ['db1', fun, args], { kwarg: new Map<Value, Value>(Object.entries(kwarg)) })
      return (answers as Record<string, { return: unknown }>).db1?.return
    }
    expect(await called('mine.get', ['web*', 'who'])).toEqual({ web1: 'web1', web2: 'web2' })
    expect(await called('mine.get', ['web*', 'who'], { ssh_minions: false, regular_minions: true })).toEqual({})
    expect(await called('publish.publish', ['web1', 'test.echo', 'x y'])).toEqual({ web1: 'x y' })
    expect(await called('publish.full_data', ['web1', 'test.echo', 'x'])).toMatchObject({ web1: { ret: 'x' } })
    expect(await called('publish.publish', ['web1', 'publish.publish', 'x'])).toEqual({})
    expect(await called('publish.runner', ['test.arg', 'x'])).toEqual({ args: ['x'], kwargs: {} })
  })

  test('a file of a target is no template for the master', async () => {
    const answers = await run('ssh.cmd', ['web1', 'state.apply', ['source']])
    expect(JSON.stringify(answers)).toContain(
      'is refused for a text of the target, or of a caller with rights on the target alone',
    )
  })

  test('steps of an orchestration run on targets', async () => {
    const { value } = await site.master.run('state.orchestrate', ['steps'])
    const [states] = [...((value as Dict).get('data') as Dict).values()] as [Dict]
    const steps = Object.fromEntries(
      [...states.values()].map((step) => [String((step as Dict).get('__id__')), toPlain(step)]),
    ) as Record<string, { result: boolean; comment: string; changes: unknown }>
    expect(steps.states).toMatchObject({ result: true })
    expect(steps.states?.comment).toMatch(/No changes made to web[12], web[12]\./)
    expect(steps.function).toMatchObject({ result: true, changes: { ret: { web1: 'a b' } } })
    expect(steps.failing).toMatchObject({ result: false })
    expect(JSON.stringify(steps.failing?.changes)).toContain("'test.nosuch' is not available.")
  })

  test('a job of the master reaches targets with enable_ssh_minions', async () => {
    expect(await site.master.ask('web2', 'test.echo', ['"x"'])).toBe('"x"')
    expect(await site.master.publish('localhost', 'test.ping')).toBe('')
    const slow = { client: 'local', tgt: 'web1', fun: 'test.sleep', arg: [3], timeout: 1, gather_job_timeout: 1 }
    expect((await site.run(await site.logIn('admin'), slow)).json.return).toEqual([{ web1: true }])
    const limited = await site.logIn('dev')
    const ping = { client: 'local', fun: 'test.ping' }
    expect((await site.run(limited, { ...ping, tgt: 'web1' })).json.return).toEqual([{ web1: true }])
    expect((await site.run(limited, { ...ping, tgt: '*' })).status).toBe(401)
  })

  describe('the client ssh of the API', () => {
    const ask = async (user: 'admin' | 'dev', more: Record<string, unknown>) =>
      site.run(await site.logIn(user), { client: 'ssh', tgt: 'web1', fun: 'test.ping', ...more })

    test('runs a function for permitted users', async () => {
      const { json } = await ask('admin', { fun: 'test.echo', arg: ['x'] })
      expect(json.return[0].web1).toMatchObject({ return: 'x', retcode: 0, fun: 'test.echo', id: 'web1' })
      const raw = await ask('admin', { fun: 'echo', arg: ['hi'], raw_shell: true })
      expect(raw.json.return[0].web1).toMatchObject({ stdout: 'hi\n', retcode: 0 })
      expect((await ask('dev', {})).json.return[0].web1).toMatchObject({ return: true })
    })

    test.each<[string, 'admin' | 'dev', Record<string, unknown>, number]>([
      ['another function', 'dev', { fun: 'test.echo', arg: ['x'] }, 401],
      ['a target beyond the rights', 'dev', { tgt: '*' }, 401],
      ['a command line for the shell under the name of a function', 'dev', { raw_shell: true }, 401],
      ['a target by a regular expression', 'admin', { tgt: '(a+)+$', tgt_type: 'pcre' }, 400],
    ])('refuses %s', async (_what, user, more, status) => {
      expect((await ask(user, more)).status).toBe(status)
    })

    test('reads no roster but those that the options offer, and reaches no other host', async () => {
      expect((await ask('admin', { tgt: 'localhost' })).json.return).toEqual([{}])
      expect((await ask('admin', { tgt: '*', roster_file: '/etc/passwd' })).json.return).toEqual([{}])
      const offered = await ask('admin', { tgt: '*', roster_file: 'few', fun: 'test.ping' })
      expect(Object.keys(offered.json.return[0])).toEqual(['few1'])
    })

    test('runs a function for a right to it on the target, and for no right to the master', async () => {
      const answer = async (more: Record<string, unknown>) => JSON.stringify((await ask('admin', more)).json.return)
      const refused = 'is refused for a text of the target, or of a caller with rights on the target alone'
      const runner = "echo {{ salt['publish.runner']('test.arg', 'canary') }}"
      expect(await answer({ fun: 'cmd.run', arg: [runner], kwarg: { template: 'jinja' } })).toContain(refused)
      expect(await answer({ fun: 'slsutil.renderer', kwarg: { string: '#!py\n0' } })).toContain(refused)
      const single = { fun: 'file.managed', name: '/tmp/x', contents: runner, template: 'jinja' }
      expect(await answer({ fun: 'state.single', kwarg: single })).toContain(refused)
      expect(await answer({ fun: 'test.opts_pkg' })).toContain('reaches beyond the target')
      expect(await answer({ fun: 'config.get', arg: ['cachedir'] })).toContain('web1')
      const applied = await answer({ fun: 'state.apply', arg: ['given'], kwarg: { pillar: { text: runner } } })
      expect(applied).toContain(refused)
      expect(await answer({ fun: 'state.apply', arg: ['nothing'] })).toContain('"result":true')
      expect(await answer({ fun: 'state.single', kwarg: { fun: 'test.nop', name: 'x' } })).toContain('"result":true')
      expect(await answer({ fun: 'pillar.items' })).toContain('"own":"web1"')
      const published = { client: 'local', tgt: 'web1', fun: 'cmd.run', arg: [runner], kwarg: { template: 'jinja' } }
      expect(JSON.stringify((await site.run(await site.logIn('admin'), published)).json.return)).toContain(refused)
    })

    test('takes no options that run programs or name files of the master', async () => {
      const file = join(roster.sshd.folder, 'touched')
      const evil = {
        ssh_options: [`proxyCommand=touch ${file}`, `LocalCommand=touch ${file}`, 'PermitLocalCommand=yes'],
        ssh_priv: `|touch ${file}`,
        ssh_pre_hook: `touch ${file}`,
        rosters: ['/'],
        roster: 'flat',
      }
      expect((await ask('admin', evil)).json.return[0].web1).toMatchObject({ return: true })
      expect(existsSync(file)).toBe(false)
    })
  })

  describe('traces', () => {
    const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
    const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`

    /** The spans of a trace, once there are that many by the name. */
    const spansOf = async (traceId: string, name: string, count: number): Promise<Span[]> => {
      const all = (): Span[] => collector.spans.filter((span) => span.traceId === traceId)
      await until(`${count} spans ${name} are sent`, () => all().filter((span) => span.name === name).length === count)
      return all()
    }

    const targetOf = ({ attributes = [] }: Span): unknown =>
      attributes.find(({ key }) => key === 'salt.minion.id')?.value['stringValue']

    test('lead from salt-ssh to the call on each target, and to its states', async () => {
      const streams = { out: () => undefined, err: () => undefined, terminal: false }
      const words = ['-c', site.master.config, '--no-color', 'web*', 'state.apply', 'nothing']
      process.env['TRACEPARENT'] = PARENT
      try {
        expect(await saltSsh(words, streams)).toBe(0)
      } finally {
        delete process.env['TRACEPARENT']
      }
      const spans = await spansOf(TRACE, 'salt.ssh.call.state.apply', 2)
      const program = spans.find(({ name }) => name === 'salt-ssh.state.apply')!
      expect(program.parentSpanId).toBe('00f067aa0ba902b7')
      const calls = spans.filter(({ name }) => name === 'salt.ssh.call.state.apply')
      expect(calls.map(targetOf).sort()).toEqual(['web1', 'web2'])
      expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual([program.spanId, program.spanId])
      const states = spans.filter(({ name }) => name === 'salt.state.test.nop')
      expect(states.map(({ parentSpanId }) => parentSpanId).sort()).toEqual(calls.map(({ spanId }) => spanId).sort())
    })

    test('lead from a request to the API to the call on each target', async () => {
      const { headers, status } = await site.run(await site.logIn('admin'), {
        ...{ client: 'ssh', tgt: 'web*', fun: 'test.nosuch' },
      })
      expect(status).toBe(200)
      const [, traceId = '', requestSpan] = headers.get('traceparent')!.split('-')
      const calls = (await spansOf(traceId, 'salt.ssh.call.test.nosuch', 2)).filter(
        ({ name }) => name === 'salt.ssh.call.test.nosuch',
      )
      expect(calls.map(targetOf).sort()).toEqual(['web1', 'web2'])
      for (const call of calls)
        expect(call).toMatchObject({
          parentSpanId: requestSpan,
          status: { code: 2, message: expect.stringMatching(/^exit status/) },
        })
    })
  })
})

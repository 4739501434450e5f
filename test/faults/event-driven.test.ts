// The master or a minion is killed between an event and its effects: reactions, orchestrations and scheduled jobs
// continue after the restart, and unknown results are reported. Each is paused in the middle by a file that does not
// exist yet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Cluster } from '../live/cluster.ts'
import { until } from '../until.ts'

/** Writes a line and waits for a file. */
const held = (name: string): string =>
  `echo begun >> <ROOT>/${name}; until [ -e <ROOT>/${name}.go ]; do sleep 0.1; done; echo ended >> <ROOT>/${name}`

const step = (id: string, after: string | undefined, command: string): string => `
${id}:
  salt.function:
    - name: cmd.run
    - tgt: web1
    - arg:
      - ${JSON.stringify(command)}
${after === undefined ? '' : `    - require:\n      - salt: ${after}\n`}`

const orchestration = (name: string): string =>
  step('first', undefined, `echo one >> <ROOT>/${name}.first`) +
  step('second', 'first', held(name)) +
  step('third', 'second', `echo three >> <ROOT>/${name}.third`)

const reaction = (kind: string, lines: string): string => `reaction:\n  ${kind}:\n${lines}`

const FILES = {
  'srv/reactor/rendered.sls': `{% do salt['cmd.run'](${JSON.stringify(held('rendered'))}, python_shell=True) %}\n${reaction(
    'local.cmd.run',
    '    - tgt: web1\n    - arg:\n      - echo done >> <ROOT>/rendered.job\n',
  )}`,
  'srv/reactor/run.sls': reaction('runner.slow.hold', '    - args:\n        name: run\n'),
  'srv/reactor/orchestrated.sls': reaction('runner.state.orchestrate', '    - args:\n        mods: orch.reaction\n'),
  'srv/salt/orch/reaction.sls': orchestration('reaction'),
  'srv/salt/orch/program.sls': orchestration('program'),
  'srv/salt/orch/lasting.sls': orchestration('lasting'),
  'srv/salt/_runners/slow.mjs': `
import { appendFileSync, existsSync } from 'node:fs'

export async function hold(name) {
  appendFileSync(\`<ROOT>/\${name}\`, 'begun\\n')
  while (!existsSync(\`<ROOT>/\${name}.go\`)) await new Promise((done) => setTimeout(done, 100))
  appendFileSync(\`<ROOT>/\${name}\`, 'ended\\n')
  return name
}
`,
}

const cluster = new Cluster({
  scenario: 'event-driven faults',
  description: '',
  setup: {
    master: {
      auto_accept: true,
      timeout: 5,
      gather_job_timeout: 15,
      extension_modules: '<ROOT>/srv/extensions',
      runner_dirs: ['<ROOT>/srv/salt/_runners'],
      reactor: ['rendered', 'run', 'orchestrated'].map((name) => ({
        [`fault/${name}`]: `<ROOT>/srv/reactor/${name}.sls`,
      })),
      schedule: { tally: { function: 'slow.hold', args: ['tally'], hours: 1, run_missed: true } },
    },
    minions: {
      web1: {
        config: {
          return_retry_timer: 1,
          return_retry_timer_max: 2,
          schedule: {
            scheduled: { function: 'cmd.run', args: [held('scheduled')], hours: 1, run_missed: true },
          },
        },
      },
    },
    files: FILES,
  },
  steps: [],
  events: [],
})

const lines = (name: string): string[] => {
  const file = join(cluster.root, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}
const counted = (name: string, line: string): number => lines(name).filter((one) => one === line).length
const release = (name: string): void => writeFileSync(join(cluster.root, `${name}.go`), '')

const begun = (name: string, times = 1): Promise<void> =>
  until(`${name} has begun ${times} times`, async () => counted(name, 'begun') >= times)
const ended = (name: string): Promise<void> => until(`${name} has ended`, async () => counted(name, 'ended') > 0)

async function ask(line: string): Promise<unknown> {
  const { stdout, stderr } = await cluster.run(`${line} --out=json`)
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${line}: ${stdout}${stderr}`)
  }
}

const answers = (): Promise<void> =>
  until(
    'web1 answers',
    async () => (await cluster.run('salt -t 2 web1 test.ping --out=txt')).stdout.includes('True'),
    90,
  )

async function killMaster(): Promise<void> {
  await cluster.stop('master', 'SIGKILL')
  cluster.start('master')
}

interface Reaction {
  interruptions?: number
  calls: Array<{ state: string; jid: string; attempts?: number }>
}

const traced = async (tag: string): Promise<Reaction> =>
  ((await ask(`salt-run reactor.trace ${tag}`)) as Reaction[])[0]!

const isDone = (tag: string) => async (): Promise<boolean> =>
  (await traced(tag)).calls?.every(({ state }) => state === 'done') ?? false

beforeAll(async () => {
  await cluster.prepare()
  cluster.start('master')
  cluster.start('web1')
  await answers()
})
afterAll(() => cluster.close())

describe('a master that is killed', () => {
  test('carries out the reaction to an event that it had heard of', async () => {
    await cluster.run('salt-run event.send fault/rendered')
    await begun('rendered')
    await killMaster()
    release('rendered')
    await until('the job', async () => lines('rendered.job').length > 0)
    await until('the end', isDone('fault/rendered'))
    expect((await traced('fault/rendered')).interruptions).toBe(1)
    expect(lines('rendered.job')).toEqual(['done'])
  })

  test('runs a function of a reaction again that it was running', async () => {
    await cluster.run('salt-run event.send fault/run')
    await begun('run')
    await killMaster()
    await begun('run', 2)
    release('run')
    await until('the end', isDone('fault/run'))
    expect((await traced('fault/run')).calls).toMatchObject([{ attempts: 2, state: 'done' }])
    expect(counted('run', 'ended')).toBe(1)
  })

  test('goes on with the orchestration of a reaction after the steps that had succeeded', async () => {
    await cluster.run('salt-run event.send fault/orchestrated')
    await begun('reaction')
    await killMaster()
    release('reaction')
    await until('the last step', async () => lines('reaction.third').length > 0)
    await until('the end', isDone('fault/orchestrated'))
    expect([lines('reaction.first'), lines('reaction.third')]).toEqual([['one'], ['three']])
    const jid = (await traced('fault/orchestrated')).calls[0]!.jid
    expect(await ask(`salt-run state.orchestrate_show ${jid}`)).toMatchObject({ state: 'succeeded' })
  })

  test('is waited for by an orchestration of salt-run', async () => {
    const run = cluster.run('salt-run state.orchestrate orch.lasting --out=json')
    await begun('lasting')
    await killMaster()
    await answers()
    release('lasting')
    const { status, stdout } = await run
    expect(JSON.parse(stdout)).toMatchObject({ retcode: 0 })
    expect([status, lines('lasting.first'), lines('lasting.third')]).toEqual([0, ['one'], ['three']])
  })

  test('runs a scheduled function again, and reports the interrupted one', async () => {
    const before = counted('tally', 'begun')
    expect(before).toBeGreaterThan(0)
    await killMaster()
    await begun('tally', before + 1)
    release('tally')
    await ended('tally')
    const jobs = (await ask('salt-run jobs.list_jobs search_function=runner.slow.hold')) as Record<string, object>
    const returns = await Promise.all(Object.keys(jobs).map((jid) => ask(`salt-run jobs.lookup_jid ${jid}`)))
    expect(JSON.stringify(returns)).toContain('The master was stopped while it was running the job')
  })
})

test('An orchestration that was killed is shown as interrupted, and goes on when it is resumed', async () => {
  const run = cluster.run('echo $$ > program.pid; exec salt-run state.orchestrate orch.program')
  await begun('program')
  process.kill(Number(lines('program.pid')[0]), 'SIGKILL')
  await run
  const runs = (await ask('salt-run state.orchestrate_runs')) as Record<string, { mods: string; state: string }>
  const [jid, { state }] = Object.entries(runs).find(([, { mods }]) => mods === 'orch.program')!
  expect(state).toBe('interrupted')
  release('program')
  expect(await ask(`salt-run state.orchestrate_resume ${jid}`)).toMatchObject({ retcode: 0 })
  expect(await ask(`salt-run state.orchestrate_show ${jid}`)).toMatchObject({ state: 'succeeded' })
  expect([lines('program.first'), lines('program.third')]).toEqual([['one'], ['three']])
})

test('A minion that is killed during a scheduled job says so, and runs it again', async () => {
  await begun('scheduled')
  await cluster.stop('web1', 'SIGKILL')
  cluster.start('web1')
  await begun('scheduled', 2)
  release('scheduled')
  await ended('scheduled')
  await until('the word about it', async () => {
    const jobs = (await ask('salt-run jobs.list_jobs search_function=cmd.run')) as Record<string, object>
    const last = Object.keys(jobs).slice(-4)
    const returns = await Promise.all(last.map((jid) => ask(`salt-run jobs.lookup_jid ${jid}`)))
    return JSON.stringify(returns).includes('The minion was stopped while it was running the job')
  })
})

import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type Recorded, scripted, tryFunction, tryState } from '../../../sdk/mod.ts'
import monit from './module.ts'
import states from './state.ts'

const column = (width: number) => (name: string, value: string) => `  ${name.padEnd(width)} ${value}`

/** The output of `monit status`. The column of names is narrower since 5.18. */
function status(width: number): string {
  const line = column(width)
  const blocks = [
    `Process 'nginx'\n${line('status', 'OK')}\n${line('pid', '4242')}`,
    `System 'host'\n${line('status', 'OK')}`,
  ]
  return `Monit uptime: 2m\n\n${blocks.join('\n\n')}\n\n`
}

async function call(fun: string, args: Value[], recorded: Record<string, Recorded>) {
  const { others, ran } = scripted(recorded)
  return { answer: toPlain(await tryFunction(monit, fun, { args, others })), ran }
}

test.each<[string, number]>([
  ['5.9.0', 33],
  ['5.33.0', 28],
])('monit.status reads the columns of version %s', async (version, width) => {
  const recorded = { 'monit -V': `This is Monit version ${version}\nBuilt with ssl`, 'monit status': status(width) }
  expect((await call('version', [], recorded)).answer).toBe(version)
  expect((await call('status', ['nginx'], recorded)).answer).toMatchObject({ status: 'OK', pid: '4242' })
  expect((await call('status', ['none'], recorded)).answer).toBe('No such service')
})

test.each<[string, Value[], string]>([
  ['start', ['web'], 'monit start web'],
  ['stop', ['web'], 'monit stop web'],
  ['restart', ['web'], 'monit restart web'],
  ['unmonitor', ['web'], 'monit unmonitor web'],
  ['reload', [], 'monit reload'],
  ['validate', [], 'monit validate'],
])('monit.%s returns whether the command succeeded', async (fun, args, line) => {
  const done = await call(fun, args, { [line]: '' })
  expect([done.answer, done.ran]).toEqual([true, [line]])
  expect((await call(fun, args, { [line]: { retcode: 1 } })).answer).toBe(false)
})

test('a service name is one argument, and no option', async () => {
  const { others } = scripted({ 'monit*': '' })
  const words: Value[] = []
  const noted = {
    'cmd.retcode': (args: readonly Value[]) => {
      words.push(args[0]!)
      return others['cmd.retcode']!(args, {})
    },
  }
  await tryFunction(monit, 'stop', { args: ['web -c /tmp/rc'], others: noted })
  expect(words).toEqual([['monit', 'stop', 'web -c /tmp/rc']])
  await expect(call('stop', ['-c/tmp/rc'], {})).rejects.toThrow('A service name cannot begin with a hyphen')
})

test('monit.configtest and monit.id', async () => {
  expect((await call('configtest', [], { 'monit -t': 'Control file syntax OK' })).answer).toEqual({
    comment: 'Syntax OK',
    stdout: 'Control file syntax OK',
    result: true,
  })
  expect((await call('configtest', [], { 'monit -t': { retcode: 1, stderr: 'line 3' } })).answer).toEqual({
    comment: 'Syntax Error',
    stderr: 'line 3',
    result: false,
  })
  expect((await call('id', [], { 'monit -i': 'Monit ID: abc' })).answer).toBe('abc')
  expect((await call('id', [true], { 'echo y|monit -r': 'Reset Monit Id? Monit id def was made' })).answer).toBe('def')
})

test('the state monit.unmonitor acts on monitored services alone', async () => {
  const run = async (name: string, dry = false, isBroken = false) => {
    const calls: Value[] = []
    const others = {
      'monit.summary': () =>
        fromPlain(name === 'web' ? { Process: { web: 'Running' } } : { Process: { db: 'Not monitored' } }),
      'monit.unmonitor': ([service]: readonly Value[]) => {
        calls.push(service!)
        return !isBroken
      },
    }
    const { result, changes } = toPlain(
      await tryState(states, 'unmonitor', { kwargs: { name }, others, test: dry }),
    ) as Record<string, unknown>
    return { result, changes, calls }
  }
  expect(await run('web', true)).toMatchObject({ result: null, calls: [] })
  expect(await run('web')).toEqual({ result: true, changes: { web: 'Not monitored' }, calls: ['web'] })
  expect(await run('web', false, true)).toEqual({ result: false, changes: {}, calls: ['web'] })
  expect(await run('db')).toEqual({ result: true, changes: {}, calls: [] })
})

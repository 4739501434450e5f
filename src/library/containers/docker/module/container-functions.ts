// Functions that make containers, move them from state to state, and run commands in them.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { changing, flag, further, name, optional, text, value } from './arguments.ts'
import { attempt, docker, type Given, inspect, said, stateOf } from './cli.ts'
import * as container from './containers.ts'
import * as image from './images.ts'

const state = (verb: string, expected: string, doc: string) =>
  changing(doc, { name }, `${verb} web`, (ctx, given) => container.change(ctx, value(given, 'name'), [verb], expected))

const wishes = further('Options of the container: binds, environment, port_bindings, restart_policy, …')

export const lifecycle = {
  create: changing(
    'Make a container.',
    { image: arg.any('The image'), name: optional('Its name'), kwargs: wishes },
    'create nginx name=web',
    async (ctx, given, kwargs) => {
      if ((await image.resolveId(ctx, value(given, 'image'))) === false) await image.pull(ctx, value(given, 'image'))
      const made = await container.create(ctx, value(given, 'image'), value(given, 'name'), kwargs)
      if (truthy(kwargs.get('start') ?? null))
        made.set('Started', (await container.start(ctx, made.get('Name')!)).get('result')!)
      return made
    },
  ),
  run_container: changing(
    'Make a container, start it and wait for its end.',
    {
      image: arg.any('The image'),
      name: optional('Its name'),
      bg: flag('Whether nobody waits'),
      replace: flag('Whether one of that name goes first'),
      force: flag('Even when it runs'),
      networks: optional('Networks and how it joins them'),
      kwargs: wishes,
    },
    'run_container alpine command="echo hi"',
    (ctx, given, kwargs) => container.run(ctx, given, kwargs),
  ),
  start: changing('Start a container.', { name }, 'start web', (ctx, given) =>
    container.start(ctx, value(given, 'name')),
  ),
  stop: changing(
    'Stop a container.',
    { name, timeout: optional('Seconds until it is killed'), kwargs: further('unpause') },
    'stop web',
    (ctx, given, kwargs) =>
      container.stop(ctx, value(given, 'name'), value(given, 'timeout'), truthy(kwargs.get('unpause') ?? null)),
    ret.dict('`result`, and the state before and after'),
  ),
  restart: changing(
    'Restart a container.',
    { name, timeout: arg.any('Seconds until it is killed', { default: 10 }) },
    'restart web',
    async (ctx, given) => {
      const outcome = await container.change(
        ctx,
        value(given, 'name'),
        ['restart', `--time=${text(given, 'timeout')}`],
        'running',
      )
      if (truthy(outcome.get('result')!)) outcome.set('restarted', true)
      return outcome
    },
  ),
  kill: state('kill', 'stopped', 'Kill a container.'),
  pause: state('pause', 'paused', 'Pause a container.'),
  unpause: state('unpause', 'running', 'Let a paused container go on.'),
  signal: changing(
    'Send a signal to a container.',
    { name, signal: arg.any('The signal') },
    'signal web SIGHUP',
    async (ctx, given) => {
      await docker(ctx, ['kill', `--signal=${text(given, 'signal')}`, text(given, 'name')])
      return true
    },
  ),
  rename: changing(
    'Rename a container.',
    { name, new_name: arg.any('The new name') },
    'rename foo bar',
    async (ctx, given) => {
      const id = (await inspect(ctx, 'container', value(given, 'name'))).get('Id')!
      await docker(ctx, ['rename', str(id), text(given, 'new_name')])
      return (await inspect(ctx, 'container', value(given, 'new_name'))).get('Id') === id
    },
  ),
  rm: changing(
    'Remove a container.',
    { name, force: flag('Even when it runs'), volumes: flag('With its volumes'), kwargs: further('stop, timeout') },
    'rm web',
    (ctx, given, kwargs) =>
      container.remove(ctx, value(given, 'name'), {
        force: truthy(value(given, 'force')),
        volumes: truthy(value(given, 'volumes')),
        stop: truthy(kwargs.get('stop') ?? null),
        timeout: kwargs.get('timeout') ?? null,
      }),
  ),
  wait: changing(
    'Wait until a container has ended.',
    {
      name,
      ignore_already_stopped: flag('Whether one that has ended is fine'),
      fail_on_exit_status: flag('Whether its exit code counts'),
    },
    'wait web',
    async (ctx, given) => {
      const before = await attempt(() => stateOf(ctx, value(given, 'name')))
      const lenient = truthy(value(given, 'ignore_already_stopped'))
      if (before === undefined) return { result: lenient, comment: `Container '${text(given, 'name')}' absent` }
      const code = Number(await said(ctx, 'wait', text(given, 'name')))
      const after = (await attempt(() => stateOf(ctx, value(given, 'name')))) ?? null
      const ended = before === 'stopped' ? lenient : after === 'stopped'
      const result = ended && !(truthy(value(given, 'fail_on_exit_status')) && code !== 0)
      const note = before === 'stopped' ? { comment: `Container '${text(given, 'name')}' already stopped` } : {}
      return { result, state: { old: before, new: after }, exit_status: code, ...note }
    },
  ),
}

const command = { name, cmd: arg.any('The command'), kwargs: further('stdin, user, workdir, ignore_retcode, …') }
const part =
  (key: 'stdout' | 'stderr' | 'retcode') =>
  async (ctx: FunctionContext, given: Given, kwargs: ReadonlyMap<string, Value>) =>
    (await container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs)).get(key)

export const inside = {
  run: changing(
    'Run a command in a container; its output.',
    command,
    "run web 'ls -l /'",
    async (ctx, given, kwargs) => {
      const outcome = await container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs)
      return [outcome.get('stdout')!, outcome.get('stderr')!]
        .filter((text) => text !== '')
        .map((text) => str(text))
        .join('\n')
    },
  ),
  run_all: changing(
    'Run a command in a container; all that came back.',
    command,
    "run_all web 'ls -l /'",
    (ctx, given, kwargs) => container.exec(ctx, value(given, 'name'), value(given, 'cmd'), kwargs),
  ),
  run_stdout: changing(
    'Run a command in a container; its output.',
    command,
    "run_stdout web 'ls -l /'",
    part('stdout'),
  ),
  run_stderr: changing(
    'Run a command in a container; its errors.',
    command,
    "run_stderr web 'ls -l /'",
    part('stderr'),
  ),
  retcode: changing('Run a command in a container; its exit code.', command, "retcode web 'ls -l /'", part('retcode')),
}

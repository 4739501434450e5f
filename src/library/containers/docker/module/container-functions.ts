// Functions that create containers, change their state, and run commands in them.
import { str, truthy } from '../../../../data/mod.ts'
import { arg, changes, ret } from '../../../../sdk/mod.ts'
import { attempt, docker, inspect, name, said, stateOf } from './cli.ts'
import * as container from './containers.ts'
import * as image from './images.ts'

const outcome = ret.dict('`result`, the `state` before and after, and a `comment`')

const stateChange = (verb: string, expected: string, doc: string) =>
  changes({
    doc,
    args: { name },
    returns: outcome,
    example: `docker.${verb} web`,
    run: (ctx, { name }) => container.change(ctx, name, [verb], expected),
  })

const imageArg = arg.text('Image, with its tag')
const newName = arg.text('Name of the container. Default: chosen by Docker', { optional: true })
const options = arg.open('Options of the container: binds, environment, port_bindings, restart_policy and so on')

const creation = {
  create: changes({
    doc: 'Create a container.',
    args: { image: imageArg, name: newName, kwargs: options },
    returns: ret.dict('`Id`, `Name`, `Warnings` and `Time_Elapsed`; `Started` with start=True'),
    example: 'docker.create nginx name=web',
    run: async (ctx, { image: wanted, name, kwargs }) => {
      if ((await image.resolveId(ctx, wanted)) === false) await image.pull(ctx, wanted)
      const created = await container.create(ctx, wanted, name, kwargs)
      if (truthy(kwargs.get('start') ?? null)) {
        const started = await container.start(ctx, str(created.get('Name') ?? ''))
        created.set('Started', started.get('result') ?? null)
      }
      return created
    },
  }),
  run_container: changes({
    doc: 'Create a container, start it and wait for its end.',
    args: {
      image: imageArg,
      name: newName,
      bg: arg.flag('Whether the container runs in the background', { default: false }),
      replace: arg.flag('Whether a container of that name is removed first', { default: false }),
      force: arg.flag('Whether a running container may be removed', { default: false }),
      networks: arg.any('Networks by name, each with its settings', { optional: true }),
      kwargs: options,
    },
    returns: ret.dict('`Id`, `Name` and so on; `ExitCode` and `Logs` unless in the background'),
    example: 'docker.run_container alpine command="echo hi"',
    run: (ctx, { kwargs, ...request }) => container.run(ctx, request, kwargs),
  }),
  rename: changes({
    doc: 'Rename a container.',
    args: { name, new_name: arg.text('New name') },
    returns: ret.boolean('Whether the container has the new name'),
    example: 'docker.rename foo bar',
    run: async (ctx, { name, new_name }) => {
      const id = (await inspect(ctx, 'container', name)).get('Id') ?? null
      await docker(ctx, ['rename', str(id), new_name])
      return (await inspect(ctx, 'container', new_name)).get('Id') === id
    },
  }),
  rm: changes({
    doc: 'Remove a container.',
    args: {
      name,
      force: arg.flag('Whether a running container may be removed', { default: false }),
      volumes: arg.flag('Whether its volumes are removed too', { default: false }),
      kwargs: arg.open('stop: whether the container is stopped first; timeout: seconds until it is killed'),
    },
    returns: ret.list('IDs of removed containers'),
    example: 'docker.rm web',
    run: (ctx, { name, force, volumes, kwargs }) =>
      container.remove(ctx, name, {
        force,
        volumes,
        stop: truthy(kwargs.get('stop') ?? null),
        timeout: kwargs.get('timeout') ?? null,
      }),
  }),
}

const states = {
  start: changes({
    doc: 'Start a container.',
    args: { name },
    returns: outcome,
    example: 'docker.start web',
    run: (ctx, { name }) => container.start(ctx, name),
  }),
  stop: changes({
    doc: 'Stop a container.',
    args: {
      name,
      timeout: arg.text('Seconds until the container is killed', { optional: true }),
      kwargs: arg.open('unpause: whether a paused container is resumed first'),
    },
    returns: outcome,
    example: 'docker.stop web',
    run: (ctx, { name, timeout, kwargs }) => container.stop(ctx, name, timeout, truthy(kwargs.get('unpause') ?? null)),
  }),
  restart: changes({
    doc: 'Restart a container.',
    args: { name, timeout: arg.count('Seconds until the container is killed', { default: 10 }) },
    returns: outcome,
    example: 'docker.restart web',
    run: async (ctx, { name, timeout }) => {
      const restarted = await container.change(ctx, name, ['restart', `--time=${timeout}`], 'running')
      if (restarted.get('result') === true) restarted.set('restarted', true)
      return restarted
    },
  }),
  kill: stateChange('kill', 'stopped', 'Kill a container.'),
  pause: stateChange('pause', 'paused', 'Pause a container.'),
  unpause: stateChange('unpause', 'running', 'Resume a paused container.'),
  signal: changes({
    doc: 'Send a signal to a container.',
    args: { name, signal: arg.text('Signal, such as SIGHUP') },
    returns: ret.boolean('True; a refusal of Docker is an error'),
    example: 'docker.signal web SIGHUP',
    run: async (ctx, { name, signal }) => {
      await docker(ctx, ['kill', `--signal=${signal}`, name])
      return true
    },
  }),
  wait: changes({
    doc: 'Wait for the end of a container.',
    args: {
      name,
      ignore_already_stopped: arg.flag('Whether a stopped or missing container is a success', { default: false }),
      fail_on_exit_status: arg.flag('Whether an exit code other than 0 is a failure', { default: false }),
    },
    returns: ret.dict('`result`, the `state` before and after, `exit_status` and a `comment`'),
    example: 'docker.wait web',
    run: async (ctx, { name, ignore_already_stopped, fail_on_exit_status }) => {
      const before = await attempt(() => stateOf(ctx, name))
      if (before === undefined) return { result: ignore_already_stopped, comment: `Container '${name}' absent` }
      const code = Number(await said(ctx, 'wait', name))
      const after = (await attempt(() => stateOf(ctx, name))) ?? null
      const ended = before === 'stopped' ? ignore_already_stopped : after === 'stopped'
      const result = ended && !(fail_on_exit_status && code !== 0)
      const note = before === 'stopped' ? { comment: `Container '${name}' already stopped` } : {}
      return { result, state: { old: before, new: after }, exit_status: code, ...note }
    },
  }),
}

const command = {
  name,
  cmd: arg.textOrList('Command: a text for the shell, or a list of words'),
  kwargs: arg.open('stdin, user, workdir, ignore_retcode'),
}

const part = (fun: string, key: 'stdout' | 'stderr' | 'retcode', doc: string) =>
  changes({
    doc,
    args: command,
    returns: ret.any(`\`${key}\` of the command`),
    example: `docker.${fun} web 'ls -l /'`,
    run: async (ctx, { name, cmd, kwargs }) => (await container.exec(ctx, name, cmd, kwargs)).get(key),
  })

const commands = {
  run: changes({
    doc: 'Run a command in a container, and return its output and errors.',
    args: command,
    returns: ret.string('Output, then errors'),
    example: "docker.run web 'ls -l /'",
    run: async (ctx, { name, cmd, kwargs }) => {
      const outcome = await container.exec(ctx, name, cmd, kwargs)
      const texts = [outcome.get('stdout') ?? '', outcome.get('stderr') ?? '']
      return texts
        .map(str)
        .filter((text) => text !== '')
        .join('\n')
    },
  }),
  run_all: changes({
    doc: 'Run a command in a container, and return all that it gave.',
    args: command,
    returns: ret.dict('What `cmd.run_all` returns'),
    example: "docker.run_all web 'ls -l /'",
    run: (ctx, { name, cmd, kwargs }) => container.exec(ctx, name, cmd, kwargs),
  }),
  run_stdout: part('run_stdout', 'stdout', 'Run a command in a container, and return its output.'),
  run_stderr: part('run_stderr', 'stderr', 'Run a command in a container, and return its errors.'),
  retcode: part('retcode', 'retcode', 'Run a command in a container, and return its exit code.'),
}

export const containerFunctions = { ...creation, ...states, ...commands }

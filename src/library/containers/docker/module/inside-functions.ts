// Functions and states inside containers. A container needs a POSIX shell and the usual programs; nothing is copied into it.
import { dictFrom, failure, isDict, statesSucceeded, str, toPlain, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { docker, inspect, name, program, requireRunning, said, within } from './cli.ts'

/** Call a function of the library inside a running container. */
async function callInside(
  ctx: FunctionContext,
  container: string,
  fun: string,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
  await requireRunning(ctx, container)
  const facts = await inspect(ctx, 'container', container)
  const via = [...(await program(ctx)), 'exec', '--interactive', str(within(facts, 'Id')), '/bin/sh', '-c']
  const shown = str(within(facts, 'Name')).replace(/^\//, '')
  return ctx.callInside({ kind: 'docker', name: shown, via, fun, args, kwargs })
}

/** Keywords without those that describe the job. */
const plain = (kwargs: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...kwargs].filter(([key]) => !key.startsWith('__')))

const applySls = (
  ctx: FunctionContext,
  container: string,
  mods: Value,
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> =>
  mods === null
    ? callInside(ctx, container, 'state.highstate', [], plain(kwargs))
    : callInside(ctx, container, 'state.sls', [mods], plain(kwargs))

/** A program that waits, as long as the container is needed. */
const WAITING = ['-c', 'while :; do sleep 3600; done']

/**
 * Return the command that starts a waiting container of an image, and the options of a commit that restore the image's
 * start command. A commit cannot clear an entry point, so it is replaced only if there is one; an image without a start
 * command gets a shell.
 */
async function startsOf(ctx: FunctionContext, image: string): Promise<{ run: string[]; commit: string[] }> {
  const config = within(await inspect(ctx, 'image', image), 'Config')
  const [entry, command] = [within(config, 'Entrypoint'), within(config, 'Cmd')]
  const words = (value: Value): string => JSON.stringify(toPlain(value))
  const commit = [`--change=CMD ${words(truthy(command) ? command : ['/bin/sh'])}`]
  if (!truthy(entry)) return { run: [image, '/bin/sh', ...WAITING], commit }
  return {
    run: ['--entrypoint', '/bin/sh', image, ...WAITING],
    commit: [`--change=ENTRYPOINT ${words(entry)}`, ...commit],
  }
}

/** Apply states in a container of an image, and make an image of it; the container does not stay. */
async function build(
  ctx: FunctionContext,
  given: { repository: string; tag: string; base: string; mods: Value; dryrun: boolean },
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
  const { repository, tag, base, mods, dryrun } = given
  const starts = await startsOf(ctx, base)
  const id = await said(ctx, 'run', '--detach', ...starts.run)
  try {
    const answer = await applySls(ctx, id, mods, kwargs)
    if (dryrun) return answer
    if (!isDict(answer) || !statesSucceeded(answer)) throw failure(str(answer))
    const made = await said(ctx, 'commit', ...starts.commit, id, `${repository}:${tag}`)
    return dictFrom({ Id: made.replace(/^sha256:/, ''), Image: `${repository}:${tag}` })
  } finally {
    await docker(ctx, ['rm', '--force', id])
  }
}

const mods = arg.any('SLS files, as a list or separated by commas. Default: the highstate', { optional: true })
const kwargs = arg.open('Arguments of the run: `test`, `saltenv`, `pillar`, `exclude` …')
const results = ret.any('Results of the states, or a list of errors')

export const insideFunctions = {
  call: changes({
    doc: 'Call a function of Salt inside a running container, which needs a shell and no Salt.',
    args: {
      name,
      function: arg.text('Name of the function'),
      args: arg.rest('Arguments of the function'),
      kwargs: arg.open('Keyword arguments of the function'),
    },
    returns: ret.any('What the function returns'),
    example: 'docker.call web pkg.list_pkgs',
    run: (ctx, { name, function: fun, args, kwargs }) => callInside(ctx, name, fun, args, plain(kwargs)),
  }),
  sls: changes({
    doc: 'Apply SLS files inside a running container.',
    args: { name, mods, kwargs },
    returns: results,
    example: 'docker.sls web mods=nginx,php test=True',
    run: (ctx, { name, mods, kwargs }) => applySls(ctx, name, mods, kwargs),
  }),
  apply: changes({
    doc: 'Apply SLS files, or the highstate, inside a running container.',
    args: { name, mods, kwargs },
    returns: results,
    example: 'docker.apply web',
    run: (ctx, { name, mods, kwargs }) => applySls(ctx, name, mods, kwargs),
  }),
  highstate: changes({
    doc: 'Apply the highstate inside a running container. Top files target the minion id, as in Salt, and the grains of the container.',
    args: { name, saltenv: arg.text('Environment', { default: 'base' }), kwargs },
    returns: results,
    example: 'docker.highstate web',
    run: (ctx, { name, saltenv, kwargs }) => applySls(ctx, name, null, new Map(kwargs).set('saltenv', saltenv)),
  }),
  sls_build: changes({
    doc: 'Create an image: start a container, apply SLS files in it, commit it and remove it.',
    args: {
      repository: arg.text('Repository of the new image'),
      tag: arg.text('Tag of the new image', { default: 'latest' }),
      base: arg.text('Image to start from', { default: 'opensuse/python' }),
      mods,
      dryrun: arg.flag('Return the results and create no image', { default: false }),
      kwargs,
    },
    returns: ret.any('`Id` and `Image`; the results of the states with `dryrun`'),
    example: 'docker.sls_build app 1 base=debian:12 mods=app',
    run: (ctx, { kwargs, ...given }) => build(ctx, given, kwargs),
  }),
}

// How providers of `pkg` declare their functions: parameters in Salt's order, written as words, with one table of what each
// means. `name` is optional, `!name` must be given, `name=false` has a default, `*names` gathers and `**kwargs` takes the rest.
import { lookup } from '../../../base/mod.ts'
import { isDict, loadJson, str, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  ret,
} from '../../../sdk/mod.ts'

const MEANINGS: Readonly<Record<string, string>> = lookup({
  name: 'A package, or several with commas',
  names: 'Packages',
  packages: 'Packages',
  paths: 'Paths',
  pkgs: 'Several packages, with their versions',
  sources: 'Package files by name: paths or URLs',
  refresh: 'Whether the package lists are fetched first',
  skip_verify: 'Whether signatures are not checked',
  versions_as_list: 'Whether versions are lists instead of texts',
  downloadonly: 'Whether packages are only fetched',
  reinstall: 'Whether installed packages are installed anew',
  update_holds: 'Whether held packages are changed too',
  saltenv: 'Where files of the file server are looked up',
  normalize: "Whether the machine's architecture is cut off names",
  ignore_epoch: 'Whether epochs do not count in comparisons',
  pkg1: 'A version',
  pkg2: 'Another one',
  basedir: 'Where repositories are described',
  repo: 'The repository',
  root: 'Another root directory',
  jail: 'The jail, by name or number',
  chroot: 'Another root directory',
  kwargs: 'Further options',
})

/** What a function was given, by parameter. */
export interface Given {
  readonly [name: string]: Value
}

export interface Call {
  readonly given: Given
  /** What `*names` gathered. */
  readonly rest: readonly string[]
  /** What `**kwargs` took. */
  readonly kwargs: ReadonlyMap<string, Value>
}

function parameter(word: string): [string, Arg<unknown>] {
  const [, mark = '', name = '', fallback] = /^(\*\*|\*|!)?([^=]+)(?:=(.*))?$/.exec(word) ?? []
  const doc = MEANINGS[name] ?? `The option ${name.replaceAll('_', ' ')}`
  if (mark === '**') return [name, arg.open(doc)]
  if (mark === '*') return [name, arg.rest(doc)]
  if (mark === '!') return [name, arg.any(doc)]
  return [name, arg.any(doc, { default: fallback === undefined ? null : loadJson(fallback) })]
}

const parameters = (words: string): Record<string, Arg<unknown>> =>
  Object.fromEntries(
    words
      .split(' ')
      .filter(Boolean)
      .map((word) => parameter(word)),
  )

interface Purpose<R extends Result> {
  doc: string
  /** As `parameters` reads it. */
  args: string
  example: string
  run: (ctx: FunctionContext, call: Call) => NoInfer<R> | Promise<NoInfer<R>>
  returns: Returns<R> | undefined
}

function declared<R extends Result>(
  { doc, args, example, run, returns }: Purpose<R>,
  effect: 'read' | 'change',
): FunctionDeclaration {
  const declaredArgs = parameters(args)
  const gathering = Object.entries(declaredArgs).find(([, { kind }]) => kind === 'rest')?.[0]
  const open = Object.entries(declaredArgs).find(([, { kind }]) => kind === 'open')?.[0]
  return fn({
    doc,
    args: declaredArgs,
    returns: returns ?? ret.any('What the package manager says'),
    examples: [`salt '*' ${example}`],
    effect,
    run: (ctx, bound) => {
      const all = bound as Record<string, Value | Map<string, Value>>
      const rest = gathering === undefined ? [] : (all[gathering] as Value[]).map((name) => str(name))
      const kwargs = open === undefined ? new Map<string, Value>() : (all[open] as Map<string, Value>)
      return run(ctx, { given: all as Given, rest, kwargs })
    },
  })
}

export const reading = <R extends Result = Result>(
  doc: string,
  args: string,
  example: string,
  run: Purpose<R>['run'],
  returns?: Returns<R>,
): FunctionDeclaration => declared({ doc, args, example, run, returns }, 'read')

export const changing = <R extends Result = Result>(
  doc: string,
  args: string,
  example: string,
  run: Purpose<R>['run'],
  returns?: Returns<R>,
): FunctionDeclaration => declared({ doc, args, example, run, returns }, 'change')

/** `system-environment` of the configuration and of the pillar, for a module by its names. */
export function configuredEnvironment(ctx: FunctionContext, module: string): Map<Value, Value> {
  const found = new Map<Value, Value>()
  for (const source of [ctx.opts, ctx.pillar]) {
    for (const name of ['pkg', module]) {
      const path = ['system-environment', 'modules', name, '_']
      const values = path.reduce<Value>((at, key) => (isDict(at) ? (at.get(key) ?? null) : null), source)
      if (isDict(values)) for (const [key, value] of values) found.set(key, value)
    }
  }
  return found
}

/** The words before a command that is to outlive a restart of the minion. */
export async function scopeWords(ctx: FunctionContext): Promise<string[]> {
  const booted = (await ctx.host.stat('/run/systemd/system')) !== undefined
  if (!booted || (await ctx.host.which('systemd-run')) === undefined) return []
  return (await ctx.call('config.get', ['systemd.scope', true])) === false ? [] : ['systemd-run', '--scope']
}

// Parameters that functions of `git` share, and the way most of them are built: words of a command, then its output.
import { lookup } from '../../../../base/mod.ts'
import { str, truthy, type Value } from '../../../../data/mod.ts'
import {
  type Arg,
  arg,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  ret,
} from '../../../../sdk/mod.ts'
import { expandPath, type Given, git, misuse, type Outcome, value, words } from './run.ts'

const PARAMETERS: Readonly<Record<string, Arg<Value>>> = lookup({
  cwd: arg.any('The path of the checkout'),
  filename: arg.any('The file'),
  opts: arg.any('Further options of the command', { default: '' }),
  git_opts: arg.any('Options before the command', { default: '' }),
  user: arg.any('Whom git runs as', { optional: true }),
  password: arg.any('Of the user; for Windows', { optional: true, secret: true }),
  identity: arg.any('A private key, or several', { optional: true }),
  https_user: arg.any('For HTTPS', { optional: true }),
  https_pass: arg.any('For HTTPS', { optional: true, secret: true }),
  ignore_retcode: arg.any('A failure sets no return code', { default: false }),
  saltenv: arg.any('Where keys on the file server are looked up', { default: 'base' }),
  output_encoding: arg.any('How git writes', { optional: true }),
  redact_auth: arg.any('Whether passwords in URLs are hidden', { default: true }),
  remote: arg.any('The name of the remote', { default: 'origin' }),
  rev: arg.any('The revision', { default: 'HEAD' }),
})

export const AS_USER = 'user password ignore_retcode output_encoding'
export const WITH_OPTIONS = `opts git_opts ${AS_USER}`
export const WITH_KEY = 'user password identity'

export function parameters(names: string): Record<string, Arg<Value>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, PARAMETERS[name] ?? arg.any('A value')]))
}

export const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
export const flag = (doc: string): Arg<Value> => arg.any(doc, { default: false })
export const further = (doc: string) => arg.open(doc)

type Effect = FunctionDeclaration['effect']

export function declared<R extends Result = Result>(
  doc: string,
  args: Record<string, Arg<Value> | Arg<Map<string, Value>>>,
  run: (ctx: FunctionContext, given: Given) => Promise<NoInfer<R>>,
  effect: Effect = 'change',
  returns?: Returns<R>,
): FunctionDeclaration {
  return fn({
    doc,
    args,
    returns: returns ?? ret.any('What git answers'),
    effect,
    run: (ctx, given) => run(ctx, given as Given),
  })
}

interface Shape {
  merged?: boolean
  answer?: (outcome: Outcome) => Result
  effect?: Effect
}

/** A function that is one call of git in a checkout. */
export function command(
  doc: string,
  args: Record<string, Arg<Value> | Arg<Map<string, Value>>>,
  build: (given: Given) => readonly string[],
  { merged = false, answer = ({ stdout }) => stdout, effect = 'change' }: Shape = {},
): FunctionDeclaration {
  return declared(
    doc,
    args,
    async (ctx, given) => {
      const argv = [...words(value(given, 'git_opts')), ...build(given)]
      const cwd = await expandPath(ctx, value(given, 'cwd'), value(given, 'user'))
      return answer(await git(ctx, argv, given, { cwd, merged }))
    },
    effect,
  )
}

export const text = (given: Given, name: string): string => str(value(given, name))
export const opts = (given: Given): string[] => words(value(given, 'opts'))

/** Keywords that have Python's names for their own, taken out of what was gathered; others are refused. */
export function taken(given: Given, ...names: string[]): Record<string, Value> {
  const open = given['kwargs'] as Map<string, Value>
  const unknown = [...open.keys()].filter((name) => !name.startsWith('__') && !names.includes(name))
  if (unknown.length > 0) {
    const listing = unknown.map((name) => `${name}=${str(open.get(name)!)}`).join(', ')
    throw misuse(`The following keyword arguments are not valid: ${listing}`)
  }
  return Object.fromEntries(names.map((name) => [name, open.get(name) ?? null]))
}

export const when = (condition: Value, ...parts: string[]): string[] => (truthy(condition) ? parts : [])

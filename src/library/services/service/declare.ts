// The functions that every provider of `service` has, declared from what a provider does. A name with wildcards asks
// about all services it matches.
import { fnmatchFilter, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  type FunctionContext,
  type FunctionDeclaration,
  type Result,
  type Returns,
  reads,
  ret,
} from '../../../sdk/mod.ts'

type OneService = (ctx: FunctionContext, name: string) => boolean | Promise<boolean>
type Switch = (ctx: FunctionContext, name: string, kwargs: ReadonlyMap<string, Value>) => boolean | Promise<boolean>
type Listing<R extends Result> = (ctx: FunctionContext) => NoInfer<R> | Promise<NoInfer<R>>

export const serviceName = arg.string('The service')

const DOCS = {
  start: 'Start a service.',
  stop: 'Stop a service.',
  restart: 'Restart a service.',
  reload: 'Let a service read its configuration again.',
  force_reload: 'Let a service read its configuration again, or restart it where it cannot.',
  zap: 'Forget what is known about a service.',
  enable: 'Start a service at boot.',
  disable: 'Do not start a service at boot.',
  delete: 'Forget a service.',
  enabled: 'Whether a service is started at boot.',
  disabled: 'Whether a service is not started at boot.',
  available: 'Whether there is such a service.',
  missing: 'Whether there is no such service.',
  status: 'Whether a service is running.',
  get_all: 'All services.',
  get_enabled: 'The services that are started at boot.',
  get_disabled: 'The services that are not started at boot.',
  get_running: 'The services that are running.',
}

type Known = keyof typeof DOCS

const example = (name: string): string[] => [`salt '*' service.${name} nginx`]

/** What changes a service. */
export function action(name: Known, run: OneService): FunctionDeclaration {
  return changes({
    doc: DOCS[name],
    args: { name: serviceName },
    returns: ret.boolean('Whether it went well'),
    examples: example(name),
    ...(name === 'reload' && { calledAs: 'reload_' }),
    run: (ctx, { name }) => run(ctx, name),
  })
}

/** What sets whether a service is started at boot; further keywords are for some providers only. */
export function switching(name: Known, run: Switch): FunctionDeclaration {
  return changes({
    doc: DOCS[name],
    args: { name: serviceName, kwargs: arg.open('Options of single providers') },
    returns: ret.boolean('Whether it went well'),
    examples: example(name),
    run: (ctx, { name, kwargs }) => run(ctx, name, kwargs),
  })
}

export function question(name: Known, run: OneService): FunctionDeclaration {
  return reads({
    doc: DOCS[name],
    args: { name: serviceName },
    returns: ret.boolean('The answer'),
    examples: example(name),
    run: (ctx, { name }) => run(ctx, name),
  })
}

export function switchQuestion(name: Known, run: Switch): FunctionDeclaration {
  return reads({
    doc: DOCS[name],
    args: { name: serviceName, kwargs: arg.open('Options of single providers') },
    returns: ret.boolean('The answer'),
    examples: example(name),
    run: (ctx, { name, kwargs }) => run(ctx, name, kwargs),
  })
}

const NAMES = ret.texts('Their names')

export function listing<R extends Result = string[]>(
  name: Known,
  run: Listing<R>,
  returns = NAMES as Returns<R>,
): FunctionDeclaration {
  return reads({
    doc: DOCS[name],
    args: {},
    returns,
    example: `service.${name}`,
    run: (ctx) => run(ctx),
  })
}

/** The answer for one service, or by name for all that a name with wildcards matches. */
export async function byGlob(
  name: string,
  all: () => Promise<readonly string[]>,
  isRunning: (name: string) => Promise<Value>,
): Promise<Result> {
  if (!/\*|\?|\[.+\]/.test(name)) return isRunning(name)
  const found: Record<string, Value> = {}
  for (const service of fnmatchFilter([...(await all())], name).map(str)) found[service] = await isRunning(service)
  return found
}

interface StatusOptions {
  all(ctx: FunctionContext): Promise<readonly string[]>
  isRunning(ctx: FunctionContext, name: string): Promise<Value>
  /** How the ids of processes that a signature finds become an answer. */
  bySignature?: (pids: Value) => Value
}

export function status({ all, isRunning, bySignature = truthy }: StatusOptions): FunctionDeclaration {
  return reads({
    doc: DOCS.status,
    args: { name: serviceName, sig: arg.any('Look for a process whose line matches this instead', { optional: true }) },
    returns: ret.any('True or false; by name when the name has wildcards'),
    examples: example('status'),
    run: async (ctx, { name, sig }) => {
      if (truthy(sig)) return bySignature(await ctx.call('status.pid', [sig]))
      return byGlob(
        name,
        () => all(ctx),
        (service) => isRunning(ctx, service),
      )
    },
  })
}

// Declarations of the functions that every provider of `service` has. A name with wildcards means all matching services.
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

export const serviceName = arg.string('Service name')

const DOCS = {
  start: 'Start a service.',
  stop: 'Stop a service.',
  restart: 'Restart a service.',
  reload: 'Reload the configuration of a service.',
  force_reload: 'Reload the configuration of a service; restart it if it cannot reload.',
  zap: 'Reset the recorded state of a service.',
  enable: 'Enable a service at boot.',
  disable: 'Disable a service at boot.',
  delete: 'Delete the registration of a service.',
  enabled: 'Return whether a service is enabled at boot.',
  disabled: 'Return whether a service is disabled at boot.',
  available: 'Return whether a service exists.',
  missing: 'Return whether a service does not exist.',
  status: 'Return whether a service is running.',
  get_all: 'Return all services.',
  get_enabled: 'Return the services that start at boot.',
  get_disabled: 'Return the services that do not start at boot.',
  get_running: 'Return the running services.',
}

type Known = keyof typeof DOCS

const example = (name: string): string[] => [`salt '*' service.${name} nginx`]

/** Declare a function that changes a service. */
export function action(name: Known, run: OneService): FunctionDeclaration {
  return changes({
    doc: DOCS[name],
    args: { name: serviceName },
    returns: ret.boolean('Whether it succeeded'),
    examples: example(name),
    ...(name === 'reload' && { calledAs: 'reload_' }),
    run: (ctx, { name }) => run(ctx, name),
  })
}

/** Declare a function that enables or disables a service; only some providers take further keywords. */
export function switching(name: Known, run: Switch): FunctionDeclaration {
  return changes({
    doc: DOCS[name],
    args: { name: serviceName, kwargs: arg.open('Options of single providers') },
    returns: ret.boolean('Whether it succeeded'),
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

const NAMES = ret.texts('The service names')

export function listing<R extends Result = string[]>(
  name: Known,
  run: Listing<R>,
  returns = NAMES as Returns<R>,
): FunctionDeclaration {
  return reads({ doc: DOCS[name], returns, example: `service.${name}`, run: (ctx) => run(ctx) })
}

/** Return the answer for one service, or a dict of answers for a name with wildcards. */
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
  /** Convert the process ids that a signature finds into the answer. */
  bySignature?: (pids: Value) => Value
}

export function status({ all, isRunning, bySignature = truthy }: StatusOptions): FunctionDeclaration {
  return reads({
    doc: DOCS.status,
    args: {
      name: serviceName,
      sig: arg.text('Pattern of a process line; look for such a process instead', { optional: true }),
    },
    returns: ret.any('True or False; a dict by name for a name with wildcards'),
    examples: example('status'),
    run: async (ctx, { name, sig }) => {
      if (sig) return bySignature(await ctx.call('status.pid', [sig]))
      return byGlob(
        name,
        () => all(ctx),
        (service) => isRunning(ctx, service),
      )
    },
  })
}

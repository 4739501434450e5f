// The functions of this machine's `service` provider. Providers differ in their functions; only systemd's take `no_block`,
// `unmask` and `unmask_runtime`.
import { isFailure, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'

export type Kwargs = ReadonlyMap<string, Value>

const SYSTEMD_ONLY = ['no_block', 'unmask', 'unmask_runtime']

export interface Provider {
  has(...functions: string[]): boolean
  call(fun: string, args: readonly Value[], kwargs?: Kwargs): Promise<Value>
  /** Return the systemd options that a function takes, and a warning for each if systemd does not run. */
  systemdOptions(fun: string, kwargs: Kwargs): Promise<{ options: Map<string, Value>; warnings: string[] }>
}

export async function providerOf(ctx: StateContext): Promise<Provider> {
  const { functions } = await ctx.module('service')
  return {
    has: (...names) => names.every((name) => Object.hasOwn(functions, name)),
    call: async (fun, args, kwargs = new Map()) => ctx.call(`service.${fun}`, args, kwargs),
    systemdOptions: async (fun, kwargs) => {
      const taken = SYSTEMD_ONLY.filter((key) => kwargs.has(key) && Object.hasOwn(functions[fun]?.args ?? {}, key))
      const isBooted = (await ctx.host.stat('/run/systemd/system')) !== undefined
      if (isBooted) return { options: new Map(taken.map((key) => [key, kwargs.get(key)!])), warnings: [] }
      return {
        options: new Map(),
        warnings: taken.map((key) => `The '${key}' argument is not supported by this platform`),
      }
    },
  }
}

/** Return the message of a failed command; rethrow other errors. */
export function complaint(error: unknown): string {
  if (isFailure(error)) return error.message
  throw error
}

/** Return whether the service exists, using the functions that the provider has. */
export async function exists(service: Provider, name: string): Promise<boolean> {
  if (service.has('available')) return (await service.call('available', [name])) === true
  if (!service.has('get_all')) return false
  const all = await service.call('get_all', [])
  return all instanceof Map ? all.has(name) : (all as Value[]).includes(name)
}

export const notAvailable = (name: string): string => `The named service ${name} is not available`

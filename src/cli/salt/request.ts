// Builds the publish request of salt from its options.
import type { PublishRequest } from '../../client/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { readArgument } from '../../sdk/mod.ts'
import type { Streams } from '../streams.ts'
import { credentials } from './credentials.ts'
import type { SaltWork } from './work.ts'

export const isOptionSet = (opts: Dict, name: string): boolean => truthy(opts.get(name) ?? false)

export const targetKind = (opts: Dict): string => textOf(opts.get('selected_target_option') ?? null) ?? 'glob'

export function times(opts: Dict): { timeout: number; gatherJobTimeout: number } {
  const timeout = option(opts, 'timeout')
  const gather = option(opts, 'gather_job_timeout')
  return { timeout: timeout > 0 ? timeout : 5, gatherJobTimeout: gather }
}

/** Return the fields of a job besides its function. */
async function extras({
  client,
  opts,
  streams,
}: Pick<SaltWork, 'client' | 'opts'> & { streams: Streams }): Promise<Dict> {
  // the event about a refused job contains these
  const more: Dict = new Map<Value, Value>([
    ['show_timeout', option(opts, 'show_timeout')],
    ['show_jid', option(opts, 'show_jid')],
    ['delimiter', textOf(opts.get('delimiter') ?? null) ?? ':'],
  ])
  for (const name of ['metadata', 'module_executors', 'executor_opts', 'return_kwargs']) {
    const text = textOf(opts.get(name) ?? null)
    if (text) more.set(name === 'return_kwargs' ? 'ret_kwargs' : name, readArgument(text))
  }
  const within = opts.get('deliver_within') ?? null
  if (within !== null) more.set('deliver_within', within)
  const config = textOf(opts.get('return_config') ?? null)
  if (config) more.set('ret_config', config)
  if (isOptionSet(opts, 'start_event')) more.set('start_event', true)
  for (const [name, value] of await credentials(opts, streams, (load) => client.command(load))) more.set(name, value)
  return more
}

export async function publishRequest(work: SaltWork): Promise<PublishRequest & { kwargs: Dict }> {
  const { opts } = work
  return {
    tgt: opts.get('tgt')!,
    tgtType: targetKind(opts),
    fun: opts.get('fun')!,
    arg: opts.get('arg') ?? [],
    ret: str(option(opts, 'return')),
    kwargs: await extras(work),
  }
}

// Paths of authorities and certificates: a directory for each authority below the root, certificates in its `certs`.
import { decodeBytes, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

const REMEMBERED = 'ca.contextual_cert_base_path'

/** Return the root directory; remember a given one. */
export async function rootOf(ctx: FunctionContext, given: string | null): Promise<string> {
  if (given) ctx.memory.set(REMEMBERED, given)
  const known = ctx.memory.get(REMEMBERED) ?? null
  if (truthy(known)) return str(known)
  for (const name of [REMEMBERED, 'ca.cert_base_path']) {
    const configured = await ctx.call('config.option', [name])
    if (truthy(configured)) return str(configured)
  }
  return '/etc/pki'
}

export const textOfFile = async (ctx: FunctionContext, path: string): Promise<string> =>
  decodeBytes(await ctx.host.read(path))

/** Write a key that only its owner can read. */
export const writeKey = (ctx: FunctionContext, path: string, key: string): Promise<void> =>
  ctx.host.write(path, key, { mode: 0o600 })

/** Append a line for a certificate, in the format of openssl's database. */
export async function record(ctx: FunctionContext, folder: string, facts: ReadonlyMap<string, Value>): Promise<void> {
  const expiry = new Date(Number(facts.get('not_after')) * 1000)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)
  const subject = [...(facts.get('subject') as Map<Value, Value>)].map(([name, value]) => `/${str(name)}=${str(value)}`)
  const serial = (facts.get('serial_number') as bigint).toString(16).toUpperCase()
  await ctx.host.append(`${folder}/index.txt`, `V\t${expiry}\t\t${serial}\tunknown\t${subject.join('')}\n`)
}

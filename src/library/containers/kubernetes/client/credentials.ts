// Changing credentials: tokens in files and those of a credential plug-in.
import { type Dict, failure, isDict, loadJson, markSecret, str, truthy, type Value } from '../../../../data/mod.ts'
import { textAt } from '../../../../sdk/mod.ts'
import { bearer, type Cluster, type ExecPlugin } from './cluster.ts'
import type { Surroundings } from './settings.ts'

export interface Proof {
  headers: Record<string, string>
  cert?: Uint8Array
  key?: Uint8Array
}

const KEPT = 'kubernetes.credentials'
/** Seconds before its end at which a credential is replaced. */
const EARLY = 30
const MOST_OUTPUT = 1024 * 1024

/** Return the credentials for the API server. `fresh` runs the plug-in again. */
export async function proofFor(
  ctx: Surroundings,
  { identity, tls: _tls, ...cluster }: Cluster,
  fresh: boolean,
): Promise<Proof> {
  const headers = { ...identity.headers }
  if (identity.authorization !== undefined) return { headers: { ...headers, Authorization: identity.authorization } }
  if (identity.tokenFile !== undefined) {
    const token = await textAt(ctx.host, identity.tokenFile)
    if (token === undefined) throw failure(`The token file ${identity.tokenFile} cannot be read`)
    return { headers: { ...headers, Authorization: bearer(token) } }
  }
  if (identity.exec === undefined) return { headers }
  const status = await kept(ctx, identity.exec, cluster.server, fresh)
  const [cert, key, token] = ['clientCertificateData', 'clientKeyData', 'token'].map((name) => status.get(name) ?? null)
  return {
    headers: truthy(token!) ? { ...headers, Authorization: bearer(str(token!)) } : headers,
    ...(truthy(cert!) && { cert: Buffer.from(str(cert!)), key: Buffer.from(str(key!)) }),
  }
}

/** Return the credential that a plugin gave before, as long as it holds. */
async function kept(ctx: Surroundings, plugin: ExecPlugin, server: string, fresh: boolean): Promise<Dict> {
  const known = ctx.memory.get(KEPT) ?? null
  const all = isDict(known) ? known : new Map<Value, Value>()
  ctx.memory.set(KEPT, all)
  const name = JSON.stringify([server, plugin.command, plugin.args, [...plugin.env]])
  const found = all.get(name) ?? null
  if (!fresh && isDict(found) && holds(found)) return found
  const status = await runPlugin(ctx, plugin)
  all.set(name, status)
  return status
}

function holds(status: Dict): boolean {
  const end = status.get('expirationTimestamp') ?? null
  return !truthy(end) || Date.parse(str(end)) - EARLY * 1000 > Date.now()
}

async function runPlugin(ctx: Surroundings, plugin: ExecPlugin): Promise<Dict> {
  const { command, args, timeout, apiVersion } = plugin
  const path = command.includes('/') ? command : await ctx.host.which(command)
  if (path === undefined) throw failure(`The credential plugin ${command} was not found. ${plugin.installHint}`.trim())
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(plugin.cluster !== undefined && isDict(plugin.cluster) && { cluster: clusterInfo(plugin.cluster) }),
    },
  }
  const env = new Map([...plugin.env, ['KUBERNETES_EXEC_INFO', JSON.stringify(info)]])
  const done = await ctx.host.run({ argv: [path, ...args], env, timeout, maxOutput: MOST_OUTPUT })
  if (done.timedOut) throw failure(`The credential plugin ${command} did not end within ${timeout} seconds`)
  const said = new TextDecoder().decode(done.stderr).trim().slice(0, 300)
  if (done.retcode !== 0) throw failure(`The credential plugin ${command} ended with ${done.retcode}: ${said}`)
  return statusOf(command, new TextDecoder().decode(done.stdout), apiVersion)
}

function statusOf(command: string, text: string, apiVersion: string): Dict {
  let answer: Value
  try {
    answer = loadJson(text)
  } catch {
    throw failure(`The credential plugin ${command} printed no JSON`)
  }
  const status = isDict(answer) ? (answer.get('status') ?? null) : null
  if (!isDict(answer) || !isDict(status)) throw failure(`The credential plugin ${command} gave no status`)
  if (answer.get('apiVersion') !== apiVersion) {
    throw failure(
      `The credential plugin ${command} answered in ${str(answer.get('apiVersion') ?? 'no version')}, not in ${apiVersion}`,
    )
  }
  if (!truthy(status.get('token') ?? null) && !truthy(status.get('clientCertificateData') ?? null)) {
    throw failure(`The credential plugin ${command} gave neither a token nor a certificate`)
  }
  markSecret(new Map([...status].filter(([name]) => name === 'token' || name === 'clientKeyData')))
  return status
}

const clusterInfo = (cluster: Dict): Record<string, unknown> => ({
  server: str(cluster.get('server') ?? ''),
  'certificate-authority-data': str(cluster.get('certificate-authority-data') ?? ''),
})

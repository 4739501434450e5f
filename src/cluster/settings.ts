// The settings of a cluster from the options: its members, this master's own name, the NATS servers, and the keys
// derived from `cluster_secret`.
import { hkdfSync } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { BrineError, didYouMean } from '../base/mod.ts'
import { option, placeOfOption, rawOption } from '../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, type Value } from '../data/mod.ts'

/** NATS servers that the master starts itself. */
export interface SupervisedServer {
  /** The program; a bare name is looked up in PATH. */
  program: string
  /** The address for peers, on which the server listens. */
  address: string
  clientPort: number
  routePort: number
  /** `address:port` of the other members' servers. */
  routes: string[]
  folder: string
  /** The secret from which the key of its certificate authority is derived. */
  secret: string
  /** The files of its certificates, and the name in them that masters check instead of an address. */
  tls: { ca: string; cert: string; key: string; servername: string }
}

export interface ClusterSettings {
  /** The name of the cluster, as part of names of streams. */
  name: string
  /** The name of this member. */
  member: string
  /** The address of this member. */
  address: string
  /** The addresses of all members, this one included. */
  members: string[]
  /** `host:port` of NATS servers, the own one first. */
  servers: string[]
  login: { user?: string; pass?: string; token?: string; creds?: string }
  tls: { ca?: string; cert?: string; key?: string; servername?: string } | undefined
  /** Undefined if the site has its own NATS servers. */
  supervised: SupervisedServer | undefined
  /** Whether the operator says that the servers sync every write (`sync_interval: always`). */
  isSyncSure: boolean
  /** Encrypts data in NATS. */
  sealKey: Buffer
  /** The password of the routes between supervised servers. */
  routePassword: string
  /** The folder for the member's position in the log and the files of its server. */
  folder: string
}

const SHORTEST_SECRET = 16
const NATS_FIELDS = [
  'servers',
  'user',
  'password',
  'token',
  'creds',
  'tls',
  'sync_always',
  'server_path',
  'port',
] as const
const TLS_FIELDS = ['ca', 'cert', 'key'] as const

const wrong = (opts: Dict, name: string, text: string): BrineError =>
  new BrineError('ClusterOption', `Option '${name}'${placeOfOption(opts, name)} ${text}`)

/** Read the settings, or fail with the option that is wrong. */
export function clusterSettings(opts: Dict): ClusterSettings {
  const name = str(opts.get('cluster_id')!)
  if (!/^[\w-]{1,64}$/.test(name))
    throw wrong(opts, 'cluster_id', 'must consist of letters, digits, hyphens and underscores')
  const secret = textOf(rawOption(opts, 'cluster_secret')) ?? ''
  if (secret.length < SHORTEST_SECRET)
    throw wrong(
      opts,
      'cluster_secret',
      `must be a text of at least ${SHORTEST_SECRET} characters, the same on all masters`,
    )
  const nats = natsFields(opts)
  const listed = [...new Set([...names(opts, 'cluster_masters'), ...names(opts, 'cluster_peers')])]
  const own = ownAddress(opts, listed)
  const members = [...new Set([own, ...listed.filter((each) => !isOwn(opts, each))])].sort()
  const folder = join(option(opts, 'cachedir'), 'cluster')
  const key = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, name, `brine cluster ${use}`, 32))
  const servers = names(nats, 'servers')
  const port = numberOf(nats.get('port') ?? 4521) ?? 4521
  const text = (field: string): string | undefined => textOf(nats.get(field) ?? null)
  const supervised: SupervisedServer | undefined =
    servers.length > 0
      ? undefined
      : {
          program: text('server_path') ?? 'nats-server',
          address: own,
          clientPort: port,
          routePort: option(opts, 'cluster_pool_port'),
          routes: members
            .filter((each) => each !== own)
            .map((each) => `${bracketed(each)}:${option(opts, 'cluster_pool_port')}`),
          folder: join(folder, 'nats'),
          secret,
          tls: ownTls(opts, nats, name, join(folder, 'nats')),
        }
  return {
    name,
    member: own.replaceAll(/[^\w-]/g, '_'),
    address: own,
    members,
    servers: supervised
      ? [own, ...members.filter((each) => each !== own)].map((each) => `${bracketed(each)}:${port}`)
      : servers,
    login: supervised
      ? { user: 'brine', pass: key('nats client').toString('base64url') }
      : {
          ...(text('user') !== undefined && { user: text('user')! }),
          ...(text('password') !== undefined && { pass: text('password')! }),
          ...(text('token') !== undefined && { token: text('token')! }),
          ...(text('creds') !== undefined && { creds: text('creds')! }),
        },
    tls: supervised ? supervised.tls : tlsFields(opts, nats),
    supervised,
    isSyncSure: supervised !== undefined || nats.get('sync_always') === true,
    sealKey: key('seal'),
    routePassword: key('nats route').toString('base64url'),
    folder,
  }
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)

function natsFields(opts: Dict): Dict {
  const nats = rawOption(opts, 'cluster_nats')
  if (!isDict(nats)) throw wrong(opts, 'cluster_nats', 'must be a mapping')
  for (const field of nats.keys()) {
    if ((NATS_FIELDS as readonly Value[]).includes(field)) continue
    const hint = didYouMean(str(field), NATS_FIELDS)
    throw wrong(opts, 'cluster_nats', `has the unknown field '${str(field)}'.${hint ? ` ${hint}` : ''}`)
  }
  return nats
}

/** Servers that masters start have certificates that masters make. */
function ownTls(opts: Dict, nats: Dict, name: string, folder: string): SupervisedServer['tls'] {
  if (nats.has('tls')) throw wrong(opts, 'cluster_nats', "has 'tls', which is for NATS servers under 'servers' alone")
  const file = (part: string): string => join(folder, `${part}.pem`)
  const servername = `${name.toLowerCase().replaceAll('_', '-')}.brine-cluster`
  return { ca: file('ca'), cert: file('cert'), key: file('key'), servername }
}

function tlsFields(opts: Dict, nats: Dict): ClusterSettings['tls'] {
  const tls = nats.get('tls') ?? null
  if (tls === null || tls === false) return undefined
  if (tls === true) return {}
  if (!isDict(tls) || [...tls.keys()].some((field) => !(TLS_FIELDS as readonly Value[]).includes(field)))
    throw wrong(
      opts,
      'cluster_nats',
      `must have under 'tls' True, or a mapping with paths of files: ${TLS_FIELDS.join(', ')}`,
    )
  return Object.fromEntries([...tls].map(([field, path]) => [str(field), str(path)]))
}

function names(opts: Dict, name: string): string[] {
  const value = opts.get(name) ?? null
  const list = isList(value) ? value : value === null || value === '' ? [] : [value]
  return list.map((each) => textOf(each) ?? str(each))
}

/** Whether an entry of the list of masters means this one. */
function isOwn(opts: Dict, entry: string): boolean {
  const listening = option(opts, 'interface')
  const id = option(opts, 'id')
  if (entry === listening || entry === id || `${entry}_master` === id) return true
  // a master that listens on one address is that address
  if (listening !== '0.0.0.0' && listening !== '::') return false
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return entry === hostname() || addresses.some(({ address, internal }) => !internal && address === entry)
}

function ownAddress(opts: Dict, listed: readonly string[]): string {
  const found = listed.filter((entry) => isOwn(opts, entry))
  if (found.length > 1)
    throw wrong(opts, 'cluster_masters', `names this master ${found.length} times: ${found.join(', ')}`)
  if (found[0] !== undefined) return found[0]
  const listening = option(opts, 'interface')
  if (listening !== '0.0.0.0' && listening !== '::') return listening
  const hint = 'Add the address or the host name of this master to cluster_masters, or set interface'
  throw new BrineError('ClusterOption', `None of the masters of the cluster is this one: ${listed.join(', ')}. ${hint}`)
}

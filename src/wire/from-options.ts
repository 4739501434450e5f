// What options of Salt's mean for the wire, in one place for all programs that use it.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../data/mod.ts'
import type { MinionSettings } from './client/mod.ts'
import type { RsaPrivateKey } from './crypto/mod.ts'
import { dictOf } from './envelope.ts'
import { WireError } from './errors.ts'
import { type Pauses, quickPauses, reconnectDelays } from './transport/redial.ts'
import type {
  Endpoint,
  PublisherOptions,
  RequestClientOptions,
  RequestListenOptions,
  SocketOptions,
  SubscriberOptions,
  TlsSettings,
  VerifyLocation,
} from './transport/transport.ts'

const number = (opts: Dict, name: string): number | undefined => numberOf(opts.get(name) ?? null)
const flag = (opts: Dict, name: string): boolean => truthy(opts.get(name) ?? null)
const text = (opts: Dict, name: string): string | undefined => {
  const value = opts.get(name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Where a master listens. */
export function masterEndpoints(opts: Dict): { requests: Endpoint; publications: Endpoint } {
  const host = text(opts, 'interface') ?? '0.0.0.0'
  return {
    requests: { host, port: number(opts, 'ret_port') ?? 4506 },
    publications: { host, port: number(opts, 'publish_port') ?? 4505 },
  }
}

function socketOptions(opts: Dict): SocketOptions {
  const idle = number(opts, 'tcp_keepalive_idle') ?? -1
  return { ssl: tlsSettings(opts.get('ssl')), keepaliveIdle: flag(opts, 'tcp_keepalive') && Math.max(0, idle) }
}

/** `true`, or an empty mapping, stands for TLS without a certificate of its own, which only a client can do. */
function tlsSettings(ssl: Value | undefined): TlsSettings | undefined {
  if (ssl === undefined || ssl === null || ssl === false) return undefined
  const settings: Record<string, string> = {}
  for (const [name, value] of isDict(ssl) ? ssl : []) {
    if (typeof name === 'string' && typeof value === 'string') settings[name] = value
  }
  const locations = isDict(ssl) ? verifyLocations(ssl.get('verify_locations') ?? null) : []
  return locations.length === 0 ? settings : { ...settings, verify_locations: locations }
}

/** `verify_locations`: a list of files, and of dicts with `cafile`, `capath` or `cadata`. */
function verifyLocations(given: Value): VerifyLocation[] {
  const all = isList(given) ? [...given] : given === null ? [] : [given]
  return all.flatMap((one): VerifyLocation[] => {
    if (!isDict(one)) return [{ kind: 'cafile', value: str(one) }]
    return [...one].map(([key, value]) => {
      const kind = str(key).toLowerCase()
      if (kind === 'cafile' || kind === 'capath' || kind === 'cadata') return { kind, value: str(value) }
      throw new WireError('BadSetting', `Unknown kind of verify_locations of ssl: ${str(key)}`)
    })
  })
}

/** Say that `ssl` is set where it protects nothing. Salt starts then, too, so this is no reason not to start. */
export function warnOfIgnoredTls(opts: Dict, log: Log): void {
  if (tlsSettings(opts.get('ssl')) === undefined || (text(opts, 'transport') ?? 'zeromq') !== 'zeromq') return
  const advice = 'Set transport to tcp or ws on masters and minions, or remove ssl'
  log(
    'error',
    `The option ssl has no effect with transport zeromq: its connections are not encrypted by TLS. ${advice}`,
  )
}

export function requestListenOptions(opts: Dict): RequestListenOptions {
  return { ...socketOptions(opts), backlog: number(opts, 'zmq_backlog') }
}

export function publisherOptions(opts: Dict): PublisherOptions {
  return {
    ...socketOptions(opts),
    backlog: number(opts, 'zmq_backlog'),
    highWaterMark: number(opts, 'pub_hwm'),
    heartbeatInterval: number(opts, 'zmq_heartbeat_ivl'),
    heartbeatTimeout: number(opts, 'zmq_heartbeat_timeout'),
    filtering: flag(opts, 'zmq_filtering'),
    orderMasters: flag(opts, 'order_masters'),
  }
}

export function requestClientOptions(opts: Dict): RequestClientOptions {
  const sourcePort = number(opts, 'source_ret_port') || undefined
  return {
    ...socketOptions(opts),
    sourceAddress: text(opts, 'source_address'),
    sourcePort,
    // two connections cannot leave from the same port
    maxConnections: sourcePort === undefined ? undefined : 1,
    // Salt has no option for those of zeromq
    ...(isZeromq(opts) ? {} : { reconnectDelay: reconnectPauses(opts) }),
  }
}

const isZeromq = (opts: Dict): boolean => (text(opts, 'transport') ?? 'zeromq') === 'zeromq'

/** Salt's pauses where its options were set, and Brine's own, which are shorter, where they were not. */
function reconnectPauses(opts: Dict): Pauses {
  const most = number(opts, 'recon_max')
  const backoff = number(opts, 'tcp_reconnect_backoff')
  if (flag(opts, '__quick_reconnect')) return quickPauses(most)
  if (isZeromq(opts)) return reconnectDelays(number(opts, 'recon_default'), most, flag(opts, 'recon_randomize'))
  return backoff === undefined ? quickPauses(most) : () => 1000 * backoff
}

/** How a minion listens to publications. */
export function subscriberOptions(opts: Dict): Partial<SubscriberOptions> {
  return {
    ...socketOptions(opts),
    sourceAddress: text(opts, 'source_address'),
    sourcePort: number(opts, 'source_publish_port') || undefined,
    filtering: flag(opts, 'zmq_filtering'),
    syndic: text(opts, '__role') === 'syndic',
    reconnectDelay: reconnectPauses(opts),
  }
}

/** What a minion, or a syndic, signs in with. */
export function minionSettings(opts: Dict, key: RsaPrivateKey): MinionSettings {
  const syndic = flag(opts, 'syndic_master')
  return {
    id: text(opts, 'id') ?? '',
    key,
    pkiDir: text(opts, 'pki_dir') ?? '',
    masterKeyFile: text(opts, '__role') === 'syndic' ? 'syndic_master.pub' : 'minion_master.pub',
    encryptionAlgorithm: text(opts, 'encryption_algorithm'),
    signingAlgorithm: text(opts, 'signing_algorithm'),
    verifyMasterPubkeySign: flag(opts, 'verify_master_pubkey_sign'),
    alwaysVerifySignature: flag(opts, 'always_verify_signature'),
    masterSignKeyName: text(opts, 'master_sign_key_name'),
    masterFinger: (syndic ? text(opts, 'syndic_finger') : undefined) ?? text(opts, 'master_finger'),
    hashType: text(opts, 'hash_type'),
    openMode: flag(opts, 'open_mode'),
    autosignGrains: autosignGrains(opts),
    signMessages: flag(opts, 'minion_sign_messages'),
    cachedir: text(opts, 'cachedir'),
    requireSignedPublications: opts.get('sign_pub_messages') == null ? undefined : flag(opts, 'sign_pub_messages'),
    authTimeout: number(opts, 'auth_timeout'),
    authTries: number(opts, 'auth_tries'),
    authSafemode: flag(opts, 'auth_safemode'),
    acceptanceWaitTime: number(opts, 'acceptance_wait_time'),
    acceptanceWaitTimeMax: number(opts, 'acceptance_wait_time_max'),
    rejectedRetry: flag(opts, 'rejected_retry'),
    authRetries: number(opts, 'auth_retries'),
    requestTimeout: number(opts, 'request_channel_timeout'),
    requestTries: number(opts, 'request_channel_tries'),
  }
}

function autosignGrains(opts: Dict): Dict | undefined {
  const names = opts.get('autosign_grains')
  const grains = dictOf(opts.get('grains'))
  if (names === undefined || !isList(names)) return undefined
  return new Map([...names].map((name) => [name, grains?.get(name) ?? null]))
}

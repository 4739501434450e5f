// Converts Salt's options to settings of the wire, for all programs.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
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

const isSyndic = (opts: Dict): boolean => opts.get('__role') === 'syndic'

/** Return the endpoints on which a master listens. */
export function masterEndpoints(opts: Dict): { requests: Endpoint; publications: Endpoint } {
  const host = option(opts, 'interface')
  return {
    requests: { host, port: option(opts, 'ret_port') },
    publications: { host, port: option(opts, 'publish_port') },
  }
}

function socketOptions(opts: Dict): SocketOptions {
  const idle = option(opts, 'tcp_keepalive_idle')
  return { ssl: tlsSettings(opts.get('ssl')), keepaliveIdle: option(opts, 'tcp_keepalive') && Math.max(0, idle) }
}

/**
 * Return the TLS settings. `true` or an empty mapping means TLS without an own certificate, which only a client can
 * use.
 */
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
  if (tlsSettings(opts.get('ssl')) === undefined || option(opts, 'transport') !== 'zeromq') return
  const advice = 'Set transport to tcp or ws on masters and minions, or remove ssl'
  log(
    'error',
    `The option ssl has no effect with transport zeromq: its connections are not encrypted by TLS. ${advice}`,
  )
}

export function requestListenOptions(opts: Dict): RequestListenOptions {
  return { ...socketOptions(opts), backlog: option(opts, 'zmq_backlog') }
}

export function publisherOptions(opts: Dict): PublisherOptions {
  return {
    ...socketOptions(opts),
    backlog: option(opts, 'zmq_backlog'),
    highWaterMark: option(opts, 'pub_hwm'),
    heartbeatInterval: option(opts, 'zmq_heartbeat_ivl'),
    heartbeatTimeout: option(opts, 'zmq_heartbeat_timeout'),
    filtering: option(opts, 'zmq_filtering'),
    orderMasters: option(opts, 'order_masters'),
  }
}

export function requestClientOptions(opts: Dict): RequestClientOptions {
  const sourcePort = Number(str(option(opts, 'source_ret_port'))) || undefined
  return {
    ...socketOptions(opts),
    sourceAddress: option(opts, 'source_address') || undefined,
    sourcePort,
    // two connections cannot leave from the same port
    maxConnections: sourcePort === undefined ? undefined : 1,
    // Salt has no such option for zeromq
    ...(isZeromq(opts) ? {} : { reconnectDelay: reconnectPauses(opts) }),
  }
}

const isZeromq = (opts: Dict): boolean => option(opts, 'transport') === 'zeromq'

/** Return Salt's delays if its options are set, else Brine's own, which are shorter. */
function reconnectPauses(opts: Dict): Pauses {
  const most = option(opts, 'recon_max')
  const backoff = option(opts, 'tcp_reconnect_backoff')
  if (truthy(opts.get('__quick_reconnect') ?? false)) return quickPauses(most)
  if (isZeromq(opts)) return reconnectDelays(option(opts, 'recon_default'), most, option(opts, 'recon_randomize'))
  return () => 1000 * backoff
}

/** Return the settings of a minion's subscriber. */
export function subscriberOptions(opts: Dict): Partial<SubscriberOptions> {
  return {
    ...socketOptions(opts),
    sourceAddress: option(opts, 'source_address') || undefined,
    sourcePort: Number(str(option(opts, 'source_publish_port'))) || undefined,
    filtering: option(opts, 'zmq_filtering'),
    syndic: isSyndic(opts),
    reconnectDelay: reconnectPauses(opts),
  }
}

/** Return the sign-in settings of a minion or a syndic. */
export function minionSettings(opts: Dict, key: RsaPrivateKey): MinionSettings {
  const finger = isSyndic(opts) ? option(opts, 'syndic_finger') : ''
  return {
    id: option(opts, 'id'),
    key,
    pkiDir: option(opts, 'pki_dir'),
    masterKeyFile: isSyndic(opts) ? 'syndic_master.pub' : 'minion_master.pub',
    encryptionAlgorithm: option(opts, 'encryption_algorithm'),
    signingAlgorithm: option(opts, 'signing_algorithm'),
    verifyMasterPubkeySign: option(opts, 'verify_master_pubkey_sign'),
    alwaysVerifySignature: option(opts, 'always_verify_signature'),
    masterSignKeyName: option(opts, 'master_sign_key_name'),
    masterFinger: finger || option(opts, 'master_finger') || undefined,
    hashType: option(opts, 'hash_type'),
    openMode: opts.get('open_mode') === true,
    autosignGrains: autosignGrains(opts),
    signMessages: option(opts, 'minion_sign_messages'),
    cachedir: option(opts, 'cachedir'),
    requireSignedPublications: option(opts, 'sign_pub_messages') ?? undefined,
    authTimeout: option(opts, 'auth_timeout'),
    authTries: option(opts, 'auth_tries'),
    authSafemode: option(opts, 'auth_safemode'),
    acceptanceWaitTime: option(opts, 'acceptance_wait_time'),
    acceptanceWaitTimeMax: option(opts, 'acceptance_wait_time_max'),
    rejectedRetry: option(opts, 'rejected_retry'),
    authRetries: option(opts, 'auth_retries'),
    requestTimeout: option(opts, 'request_channel_timeout'),
    requestTries: option(opts, 'request_channel_tries'),
  }
}

function autosignGrains(opts: Dict): Dict | undefined {
  const names = opts.get('autosign_grains')
  const grains = dictOf(opts.get('grains'))
  if (names === undefined || !isList(names)) return undefined
  return new Map([...names].map((name) => [name, grains?.get(name) ?? null]))
}

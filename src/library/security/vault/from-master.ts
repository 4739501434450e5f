// A minion that gets its connection and its credentials from its master, by runner functions that the master's
// `peer_run` permits: `vault.get_config` and related ones, or `vault.generate_token` of Salt up to 3006.
import { fromPlain, isDict, isPlainObject, markTexts, str, toPlain, type Value } from '../../../data/mod.ts'
import { type DaemonAccess, joinPaths, option, RsaPrivateKey, rawOption } from '../../../sdk/mod.ts'
import type { Entrance } from './access.ts'
import { type Surroundings, VaultClient } from './client.ts'
import { type Json, type JsonObject, readPlainConfig, type VaultConfig } from './config.ts'
import { now } from './durations.ts'
import { isVaultError, VaultError } from './errors.ts'
import { loginByRole } from './local.ts'
import { isUsable, readSecretId, readToken, type SecretId, type Token } from './records.ts'
import { type Store, storeOf } from './store.ts'
import { CREATION, unwrap, unwrapped, wrappingToken } from './unwrap.ts'

export interface MinionIdentity {
  id: string
  daemon: DaemonAccess
  parts: Surroundings
  /** The minion's own configuration. */
  own: VaultConfig
}

/** The tokens that a master issues to this minion. */
export async function masterEntrance(identity: MinionIdentity): Promise<Entrance> {
  const { parts, own } = identity
  const store = await storeOf(parts, 'minion', [identity.id, rawOption(parts.opts, 'master'), own], 'disk')
  const asker = new MasterAsker(identity, store)
  const { config, token } = await asker.configuration()
  let embedded = token
  return {
    connection: config,
    store,
    isRenewed: true,
    enter: async (client) => {
      const first = embedded
      embedded = undefined
      if (first && isUsable(first)) return first
      return config.auth.method === 'approle' ? asker.login(client, config) : asker.token(client)
    },
    forget: async () => void (await store.clear()),
  }
}

interface Configuration {
  config: VaultConfig
  token?: Token
}

/** Running requests for a configuration, shared by all callers. */
const asked = new WeakMap<Store, Promise<Configuration>>()

class MasterAsker {
  private readonly identity: MinionIdentity
  private readonly store: Store

  constructor(identity: MinionIdentity, store: Store) {
    this.identity = identity
    this.store = store
  }

  /** Return the configuration, from the cache while it is new enough, and a token that came with it. */
  async configuration(): Promise<Configuration> {
    const { kept } = this.store
    if (kept.config) {
      const config = this.merged(kept.config.plain)
      const limit = config.cache.config
      if (limit === null || now() - kept.config.fetched < limit) return { config }
    }
    const asking = asked.get(this.store) ?? this.newConfiguration().finally(() => asked.delete(this.store))
    asked.set(this.store, asking)
    return asking
  }

  private async newConfiguration(): Promise<Configuration> {
    const answer = await this.call('get_config', { issue_params: this.wishes(), config_only: false })
    if (answer === undefined) return this.oldConfiguration()
    const misc = objectIn(answer.misc_data)
    const { token: given, ...auth } = objectIn(answer.auth)
    const plain: JsonObject = {
      auth,
      cache: answer.cache ?? {},
      client: answer.client ?? {},
      server: answer.server ?? {},
    }
    const config = this.merged(plain)
    const client = new VaultClient(this.identity.parts, config.server, config.client)
    await this.unwrapRole(client, config, plain)
    const token = given === undefined ? undefined : await this.readGiven(client, given, misc['token:num_uses'])
    await this.keep(plain, false)
    return { config: this.merged(plain), ...(token && { token }) }
  }

  /** Put the role id into the place of its wrapping token. */
  private async unwrapRole(client: VaultClient, { auth }: VaultConfig, plain: JsonObject): Promise<void> {
    const wrapping = wrappingToken(auth.roleId)
    if (wrapping === undefined) return
    const body = await unwrap(client, wrapping, CREATION.roleId(auth.approleMount, auth.approleName))
    plain.auth = { ...objectIn(plain.auth), role_id: unwrapped(body).role_id ?? null }
  }

  private async readGiven(client: VaultClient, given: Json, numUses: Json | undefined): Promise<Token> {
    const wrapping = wrappingToken(given)
    if (wrapping === undefined) return readToken(objectIn(given))
    return readToken(unwrapped(await unwrap(client, wrapping, CREATION.token)), numUses)
  }

  /** A master that allows only `vault.generate_token`: the token comes with the address. */
  private async oldConfiguration(): Promise<Configuration> {
    const { token, plain } = await this.oldToken()
    await this.keep(plain, true)
    return { config: this.merged(plain), token }
  }

  /** Keep a configuration where it says that things are kept: with the cache `session` nothing may lie on the disk. */
  private async keep(plain: JsonObject, isOld: boolean): Promise<void> {
    if (this.merged(plain).cache.backend === 'session') await this.store.leaveDisk()
    await this.store.save({ config: { plain, fetched: now(), isOld } })
  }

  private async oldToken(): Promise<{ token: Token; plain: JsonObject }> {
    const { own } = this.identity
    const { explicit_max_ttl, num_uses } = own.issueParams
    const answer = await this.call('generate_token', undefined, [false, explicit_max_ttl ?? null, num_uses ?? null])
    if (answer === undefined) {
      throw new VaultError(
        'VaultException',
        'The master gives this minion no access to Vault: its peer_run must allow vault.get_config, vault.generate_new_token, vault.get_role_id and vault.generate_secret_id, or vault.generate_token',
      )
    }
    const plain: JsonObject = {
      server: { url: answer.url ?? null, verify: answer.verify ?? null, namespace: answer.namespace ?? null },
      cache: { backend: answer.token_backend ?? 'session' },
    }
    const fields = {
      ...answer,
      client_token: answer.token ?? null,
      creation_time: answer.issued ?? null,
      num_uses: answer.uses ?? 1,
    }
    return { token: readToken(fields as JsonObject), plain }
  }

  async token(client: VaultClient): Promise<Token> {
    if (this.store.kept.config?.isOld) return (await this.oldToken()).token
    const answer = await this.called('generate_new_token', client)
    if (wrappingToken(answer) === undefined) return readToken(objectIn(answer.auth))
    const body = await unwrap(client, wrappingToken(answer)!, CREATION.token)
    return readToken(unwrapped(body), objectIn(answer.misc_data).num_uses)
  }

  async login(client: VaultClient, { auth }: VaultConfig): Promise<Token> {
    const roleId = String(auth.roleId ?? '')
    if (!auth.secretId) return loginByRole(client, auth.approleMount, roleId, null)
    const secretId = await this.secretId(client, auth.approleMount, auth.approleName)
    try {
      return await loginByRole(client, auth.approleMount, roleId, secretId.id)
    } catch (error) {
      // the approle is another one now, or is gone
      if (isVaultError(error, 'VaultInvocationError')) await this.store.clear()
      throw error
    } finally {
      secretId.useCount++
    }
  }

  private async secretId(client: VaultClient, mount: string, name: string): Promise<SecretId> {
    const known = this.store.kept.secretId
    if (known && isUsable(known)) return known
    const answer = await this.called('generate_secret_id', client)
    const numUses = objectIn(answer.misc_data).secret_id_num_uses
    const wrapping = wrappingToken(answer)
    const fields =
      wrapping === undefined
        ? objectIn(answer.data)
        : unwrapped(await unwrap(client, wrapping, CREATION.secretId(mount, name)))
    const read = readSecretId(fields, numUses)
    markTexts([read.id])
    if (read.numUses !== 1) await this.store.save({ secretId: read })
    return read
  }

  /** Ask for credentials on the server that is known already; another one means that the configuration is old. */
  private async called(fun: string, client: VaultClient): Promise<JsonObject> {
    const answer = await this.call(fun, { issue_params: this.wishes() })
    if (answer === undefined)
      throw new VaultError(
        'VaultConfigExpired',
        `Peer runner return was empty. Make sure vault.${fun} is listed in the master peer_run config.`,
      )
    const server = this.merged({ server: answer.server ?? {} }).server
    if (server.url !== client.server.url || server.namespace !== client.server.namespace) {
      throw new VaultError('VaultConfigExpired', 'The master has another Vault server now')
    }
    return answer
  }

  private wishes(): Json {
    const { issueParams } = this.identity.own
    return Object.keys(issueParams).length > 0 ? issueParams : null
  }

  /** Call a runner function of the master; undefined when the master does not allow it. */
  private async call(fun: string, named: JsonObject | undefined, placed: Json[] = []): Promise<JsonObject | undefined> {
    const { id, daemon, parts } = this.identity
    const signature = await this.signature()
    const arg: Value[] = named
      ? Object.entries({ minion_id: id, signature, impersonated_by_master: false, ...named }).map(
          ([name, value]) =>
            new Map<Value, Value>([
              ['__kwarg__', true],
              [name, fromPlain(value)],
            ]),
        )
      : [id, signature, ...placed.map((value) => fromPlain(value))]
    const load: Array<[Value, Value]> = [
      ['cmd', 'minion_runner'],
      ['fun', `vault.${fun}`],
      ['arg', arg],
      ['tmo', 30],
      ['id', id],
      ['no_parse', ['signature']],
    ]
    const answer = await daemon.askMaster(new Map(load))
    if (!isDict(answer)) throw new VaultError('VaultException', `The master did not run vault.${fun}: ${str(answer)}`)
    if (answer.size === 0) return undefined
    const plain = toPlain(answer) as JsonObject
    if (plain.error === undefined) return plain
    parts.log('error', `Failed to get Vault connection from master! An error was returned: ${String(plain.error)}`)
    if (plain.expire_cache === true) await this.store.clear()
    throw new VaultError(
      plain.expire_cache === true ? 'VaultConfigExpired' : 'VaultException',
      `The master refused: ${String(plain.error)}`,
    )
  }

  /** Sign the id with the minion's key, as Salt's masters want it: in bytes, which are never read as another type. */
  private async signature(): Promise<Uint8Array> {
    const { parts, id } = this.identity
    const file = joinPaths(option(parts.opts, 'pki_dir'), 'minion.pem')
    const key = new RsaPrivateKey(new TextDecoder().decode(await parts.host.read(file)))
    return new TextEncoder().encode((await key.sign(id)).toString('base64'))
  }

  /** Return the configuration of the master merged with the settings that the minion may choose. */
  private merged(plain: Json): VaultConfig {
    const config = readPlainConfig(plain)
    const { own, parts } = this.identity
    const { url } = own.server
    const server = { ...config.server, verify: own.server.verify ?? config.server.verify }
    if (url !== '' && url !== config.server.url) {
      if (config.server.urlAlts.includes(url)) server.url = url
      else
        parts.log(
          'warning',
          `vault:server:url ${url} of this minion is not used: the master does not name it in vault:server:url_alts`,
        )
    }
    const mine = rawOption(parts.opts, 'vault')
    const hasOwn = (section: string): boolean => isDict(mine) && mine.has(section)
    const ownAuth = isDict(mine) ? (mine.get('auth') ?? null) : null
    const hasLifecycle = isDict(ownAuth) && ownAuth.has('token_lifecycle')
    return {
      ...config,
      server,
      client: hasOwn('client') ? own.client : config.client,
      auth: hasLifecycle
        ? { ...config.auth, minimumTtl: own.auth.minimumTtl, renewIncrement: own.auth.renewIncrement }
        : config.auth,
    }
  }
}

const objectIn = (value: Json | undefined): JsonObject => (isPlainObject(value) ? (value as JsonObject) : {})

// The parameters of all functions for AWS about region and key, and their completion from options and pillar.
import { type Dict, isDict, markSecret, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext, type Host, type HttpClient } from '../../../sdk/mod.ts'

/** The context of a call to AWS. */
export interface AwsContext extends Pick<FunctionContext, 'opts' | 'log'> {
  readonly host: Host
  readonly http: HttpClient
  readonly pillar?: Dict
}

/** The parameters `region`, `key`, `keyid` and `profile`. */
export const LOGIN = {
  region: arg.text('Region; the one of the profile, of the options, or `us-east-1` unless given', { optional: true }),
  key: arg.text('Secret access key', { optional: true, secret: true }),
  keyid: arg.text('Id of the access key', { optional: true }),
  profile: arg.any('Name of a dict in the options or pillar, or the dict itself, with `region`, `key` and `keyid`', {
    optional: true,
    secret: true,
  }),
}

export interface AwsLogin {
  region?: string | null
  key?: string | null
  keyid?: string | null
  profile?: Value
}

/** Return the parameters about region and key, for a call of another function. */
export const loginOf = ({ region, key, keyid, profile }: AwsLogin): Record<string, Value> => ({
  region: region ?? null,
  key: key ?? null,
  keyid: keyid ?? null,
  profile: profile ?? null,
})

export interface AwsSettings {
  region: string
  key: string | undefined
  keyId: string | undefined
  token: string | undefined
  roleArn: string | undefined
  externalId: string | undefined
  /** Address of the service, in place of Amazon's. */
  endpoint: string | undefined
  verify: boolean | undefined
  ca: string | undefined
}

const DEFAULT_REGION = 'us-east-1'

/** As a key, this word means the same as no key. */
const ROLE_WORD = 'use-instance-role-credentials'

/** Return the region, and the key if one is configured. */
export function settingsOf(ctx: AwsContext, service: string, login: AwsLogin): AwsSettings {
  const profile = profileOf(ctx, login.profile ?? null)
  const own = (name: string): string | undefined => {
    const value = profile?.get(name) ?? optionOf(ctx, `${service}.${name}`) ?? null
    return truthy(value) ? str(value) : undefined
  }
  const inProfile = profile !== undefined
  const region = (inProfile ? own('region') : undefined) ?? (login.region || own('region')) ?? DEFAULT_REGION
  const [key, keyId] = inProfile ? [own('key'), own('keyid')] : [login.key || own('key'), login.keyid || own('keyid')]
  const isRole = key === ROLE_WORD || keyId === ROLE_WORD
  if (!isRole && Boolean(key) !== Boolean(keyId)) {
    throw misuse(`An access key of AWS has two parts, 'keyid' and 'key': '${key ? 'keyid' : 'key'}' is missing`)
  }
  if (!/^[a-z0-9-]{1,64}$/.test(region)) throw misuse(`Region "${region}" is not valid.`)
  const verify = profile?.get('verify_ssl') ?? optionOf(ctx, `${service}.verify_ssl`)
  if (key && !isRole) markSecret(key)
  return {
    region,
    key: isRole ? undefined : key || undefined,
    keyId: isRole ? undefined : keyId || undefined,
    token: own('session_token'),
    roleArn: own('role_arn'),
    externalId: own('external_id'),
    endpoint: own('endpoint_url'),
    verify: verify === undefined ? undefined : truthy(verify),
    ca: own('ca_bundle'),
  }
}

/** Return an option of the minion, of the master as pillar has it, or of pillar. */
export function optionOf({ opts, pillar }: AwsContext, name: string): Value | undefined {
  const master = pillar?.get('master')
  const found = opts.get(name) ?? (isDict(master ?? null) ? (master as Dict).get(name) : undefined)
  return found ?? pillar?.get(name)
}

function profileOf(ctx: AwsContext, profile: Value): Dict | undefined {
  if (!truthy(profile)) return undefined
  if (isDict(profile)) return profile
  const found = optionOf(ctx, str(profile)) ?? null
  if (isDict(found)) return found
  throw misuse(`The profile '${str(profile)}' is no dict in the options or in pillar`)
}

// ssh_pki.certificate_managed: a certificate that is renewed before it expires and when its properties change.
import { recover } from '../../../../base/mod.ts'
import { type Dict, isFailure, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { isSourceFile, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { manage, splitOptions } from '../../common/managed-file.ts'
import type { Certificate, CertificateFields } from '../format/certificate.ts'
import { isSameKey, type PublicKey } from '../format/public-key.ts'
import { planCertificate } from '../module/planning.ts'
import { withPolicy } from '../module/policy.ts'
import { anyPublicKey, certificate } from '../module/sources.ts'
import { secondsOf } from '../module/times.ts'

type Options = ReadonlyMap<string, Value>

export interface Request {
  name: string
  ttl_remaining: Value
  ca_server: string | null
  backend: string | null
  backend_args: Value
  signing_policy: string | null
  copypath: string | null
  /** Keys, type, principals and times, as for ssh_pki.create_certificate. */
  options: Options
  kwargs: Options
}

export function refuseUnknown(rest: Options): void {
  const unknown = [...rest.keys()].filter((name) => !name.startsWith('_'))
  if (unknown.length > 0) throw misuse(`The following keyword arguments are invalid: ${unknown.join(', ')}`)
}

const REMAINING = { user: 3600, host: 7 * 86_400 } as const

/** Return the names that were added, changed and removed. */
function nameChanges(held: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): Dict | undefined {
  const added = [...wanted.keys()].filter((name) => !held.has(name))
  const changed = [...wanted]
    .filter(([name, value]) => held.has(name) && held.get(name) !== value)
    .map(([name]) => name)
  const removed = [...held.keys()].filter((name) => !wanted.has(name))
  if (added.length + changed.length + removed.length === 0) return undefined
  return new Map<Value, Value>([['added', added]]).set('changed', changed).set('removed', removed)
}

function principalChanges(held: readonly string[], wanted: readonly string[]): Dict | undefined {
  const [fromAll, toAll] = [held.length === 0, wanted.length === 0]
  const added = toAll ? [] : wanted.filter((principal) => !held.includes(principal))
  const removed = toAll ? [] : held.filter((principal) => !wanted.includes(principal))
  const report: Dict = new Map<Value, Value>([['added', toAll && !fromAll ? '*ALL*' : added]])
  report.set('removed', fromAll && !toAll ? '*ALL*' : removed)
  return [...report.values()].some((value) => truthy(value)) ? report : undefined
}

function differences(held: Certificate, wanted: CertificateFields, authority: PublicKey, options: Options): Dict {
  const changes: Dict = new Map()
  const note = (name: string, value: Value | undefined): void => {
    if (value !== undefined) changes.set(name, value)
  }
  const serial = options.get('serial_number') ?? null
  if (serial !== null && wanted.serial !== held.serial) note('serial_number', serial)
  if (!isSameKey(wanted.key, held.key)) note('private_key', true)
  if (!isSameKey(authority, held.signedBy)) note('signing_private_key', true)
  // An authority may choose the key id itself.
  if (wanted.keyId !== '' && wanted.keyId !== held.keyId) {
    note('key_id', new Map<Value, Value>([['old', held.keyId]]).set('new', wanted.keyId))
  }
  if (wanted.type !== held.type) note('cert_type', wanted.type)
  note('extensions', nameChanges(held.extensions, wanted.extensions))
  note('critical_options', nameChanges(held.criticalOptions, wanted.criticalOptions))
  note('principals', principalChanges(held.principals, wanted.principals))
  return changes
}

/** Read the certificate; undefined for a file with other contents. */
async function heldAt(ctx: StateContext, path: string): Promise<Certificate | undefined> {
  return recover(
    (error) => isFailure(error) && error.message.includes('Could not load OpenSSH certificate'),
    undefined,
    () => certificate(ctx, path),
  )
}

async function compare(ctx: StateContext, request: Request, path: string) {
  const { name, ca_server, signing_policy } = request
  if (!(await isSourceFile(ctx.host, path))) {
    return { changes: new Map<Value, Value>([['created', name]]), found: false }
  }
  const backend = request.backend ?? 'ssh_pki'
  const policyArgs = new Map<string, Value>([['ca_server', ca_server], ...backendArgs(request)])
  const policy = await ctx.call(`${backend}.get_signing_policy`, [signing_policy], policyArgs)
  const held = await heldAt(ctx, path)
  if (held === undefined) return { changes: new Map(), found: false, replace: true }
  const now = ctx.host.now()
  const options = withPolicy(policy as Map<string, Value>, request.options, now)
  const isLocal = ca_server === null && backend === 'ssh_pki'
  const signer = options.get(isLocal ? 'signing_private_key' : 'signing_public_key') ?? null
  if (!truthy(signer)) {
    throw misuse(
      isLocal
        ? 'Creating a certificate locally at least requires a signing private key.'
        : 'The remote CA server or backend module did not deliver the CA pubkey',
    )
  }
  const passphrase = isLocal ? (options.get('signing_private_key_passphrase') ?? null) : null
  const authority = await anyPublicKey(ctx, signer, passphrase)
  const remaining = secondsOf(request.ttl_remaining) ?? REMAINING[held.type]
  const changes: Dict = new Map()
  if (Number(held.validBefore) < now + remaining) changes.set('expiration', true)
  const wanted = await planCertificate(ctx, options, now)
  return { changes: new Map([...changes, ...differences(held, wanted, authority, request.options)]), found: true }
}

const backendArgs = ({ backend_args }: Request): Array<[string, Value]> =>
  backend_args instanceof Map ? [...(backend_args as Map<string, Value>)] : []

export function certificateManaged(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { file, rest } = splitOptions(request.kwargs)
  refuseUnknown(rest)
  const { name, ca_server, signing_policy, copypath } = request
  return manage(ctx, {
    ...{ subject: 'certificate', name, file, encoding: 'text', textual: ['text'] },
    compare: (path) => compare(ctx, request, path),
    make: async () => {
      const order = new Map<string, Value>([
        ...Object.entries({ ca_server, signing_policy, copypath }),
        ...request.options,
        ...backendArgs(request),
      ])
      return str(await ctx.call(`${request.backend ?? 'ssh_pki'}.create_certificate`, [], order))
    },
  })
}

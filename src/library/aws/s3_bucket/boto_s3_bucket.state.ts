// Buckets of S3 and their settings as states.
import { type Dict, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { unordered } from '../common/unordered.ts'
import { isSameAcl, wantedAcl } from './acl.ts'

const NAME = arg.text('Id of the state')
const BUCKET = arg.text('Name of the bucket')

const dict = (doc: string) => arg.dict(doc, { optional: true })

const SETTINGS = {
  ACL: dict('Parameters of `boto_s3_bucket.put_acl`; a private list unless given'),
  CORSRules: arg.list('Rules for web pages of other origins', { optional: true }),
  LifecycleConfiguration: arg.list('Rules for moving and deleting objects', { optional: true }),
  Logging: dict('`TargetBucket`, `TargetPrefix` and `TargetGrants`'),
  NotificationConfiguration: dict('`TopicConfigurations`, `QueueConfigurations`, `LambdaFunctionConfigurations`'),
  Policy: arg.any('Policy, or JSON of one', { optional: true }),
  Replication: dict('`Role` and `Rules`'),
  RequestPayment: dict('`Payer`; the owner of the bucket unless given'),
  Tagging: dict('All tags'),
  Versioning: dict('`Status`, `MFADelete` and `MFA`'),
  Website: dict('`ErrorDocument`, `IndexDocument`, `RedirectAllRequestsTo` and `RoutingRules`'),
}

type Settings = Bound<typeof SETTINGS>

interface Bucket extends AwsLogin {
  Bucket: string
}

async function ask(ctx: StateContext, fun: string, bucket: Bucket, given: Record<string, Value> = {}): Promise<Dict> {
  const keywords = { Bucket: bucket.Bucket, ...given, ...loginOf(bucket) }
  return (await ctx.call(`boto_s3_bucket.${fun}`, [], keywords)) as Dict
}

const messageOf = (answer: Dict): string => str((answer.get('error') as Dict | undefined)?.get('message') ?? '')

const only = (name: string, value: Value): Dict | null => (truthy(value) ? new Map([[name, value]]) : null)

const part = (value: Value | undefined, name: string): Value =>
  isDict(value ?? null) ? ((value as Dict).get(name) ?? null) : null

/** A setting that differs, and how to make it as wanted. */
interface Difference {
  name: string
  old: Value
  now: Value
  fun: string
  given: Dict
}

interface Setting {
  name: string
  put: string
  current: Value
  wanted: Dict | null
  remove?: string
}

/** Return the settings in the order in which they must be applied. */
function settingsOf(wanted: Settings, present: Dict): Setting[] {
  const current = (name: string): Value => present.get(name) ?? null
  const policy = typeof wanted.Policy === 'string' ? loadJson(wanted.Policy) : wanted.Policy
  const held = part(current('Policy'), 'Policy')
  const kept = truthy(current('Versioning')) ? new Map([['Status', 'Suspended']]) : new Map()
  const versioning: Setting = {
    name: 'Versioning',
    put: 'put_versioning',
    current: current('Versioning'),
    wanted: wanted.Versioning ?? kept,
  }
  const replication: Setting = {
    name: 'Replication',
    put: 'put_replication',
    current: part(current('Replication'), 'ReplicationConfiguration'),
    wanted: wanted.Replication,
    remove: 'delete_replication',
  }
  const simple = (name: string, put: string, value: Dict | null, remove?: string): Setting => ({
    name,
    put,
    current: current(name),
    wanted: value,
    ...(remove && { remove }),
  })
  const tags = wanted.Tagging && new Map([...wanted.Tagging].map(([tag, value]) => [tag, str(value)]))
  const lifecycle = only('Rules', wanted.LifecycleConfiguration)
  return [
    simple('CORS', 'put_cors', only('CORSRules', wanted.CORSRules), 'delete_cors'),
    simple('LifecycleConfiguration', 'put_lifecycle_configuration', lifecycle, 'delete_lifecycle_configuration'),
    { ...simple('Logging', 'put_logging', wanted.Logging), current: part(current('Logging'), 'LoggingEnabled') },
    simple(
      'NotificationConfiguration',
      'put_notification_configuration',
      wanted.NotificationConfiguration ?? new Map(),
    ),
    {
      ...simple('Policy', 'put_policy', only('Policy', policy), 'delete_policy'),
      current: typeof held === 'string' ? new Map([['Policy', loadJson(held)]]) : null,
    },
    simple('RequestPayment', 'put_request_payment', wanted.RequestPayment ?? new Map([['Payer', 'BucketOwner']])),
    simple('Tagging', 'put_tagging', tags, 'delete_tagging'),
    simple('Website', 'put_website', wanted.Website, 'delete_website'),
    // Replication needs versioning, so versioning is enabled first and disabled last.
    ...(wanted.Replication === null ? [replication, versioning] : [versioning, replication]),
  ]
}

/** The role of a replication may be given by name; AWS returns its ARN. */
function withRole(wanted: Dict | null, current: Value): Dict | null {
  const held = str(part(current, 'Role') ?? '')
  const role = str(wanted?.get('Role') ?? '')
  return wanted !== null && held.endsWith(`:role/${role}`) ? new Map([...wanted, ['Role', held]]) : wanted
}

const PRIVATE: Dict = new Map([['ACL', 'private']])

function differences(wanted: Settings, present: Dict): Difference[] {
  const found: Difference[] = []
  const acl = (present.get('ACL') ?? new Map()) as Dict
  const given = wanted.ACL ?? PRIVATE
  const expanded = wantedAcl(given, (acl.get('Owner') ?? new Map()) as Dict)
  if (!isSameAcl(acl, expanded, given.has('ACL')))
    found.push({ name: 'ACL', old: acl, now: expanded, fun: 'put_acl', given })
  for (const { name, put, current, wanted: value, remove } of settingsOf(wanted, present)) {
    const compared = name === 'Replication' ? withRole(value, current) : value
    if (unordered(current) === unordered(compared)) continue
    const fun = value === null && remove !== undefined ? remove : put
    found.push({ name, old: current, now: value, fun, given: value ?? new Map() })
  }
  return found
}

const keywordsOf = (given: Dict): Record<string, Value> =>
  Object.fromEntries([...given].map(([name, value]) => [str(name), value]))

/** Apply settings. Return AWS's error. */
async function apply(ctx: StateContext, bucket: Bucket, gaps: readonly Difference[]): Promise<string | undefined> {
  for (const { fun, given } of gaps) {
    const answer = await ask(ctx, fun, bucket, keywordsOf(given))
    if (!truthy(answer.get(fun.startsWith('put') ? 'updated' : 'deleted') ?? false)) return messageOf(answer)
  }
  return undefined
}

async function create(ctx: StateContext, bucket: Bucket, wanted: Settings, location: string | null): Promise<Verdict> {
  const made = await ask(ctx, 'create', bucket, { LocationConstraint: location })
  if (!truthy(made.get('created') ?? false)) return failed(`Failed to create bucket: ${messageOf(made)}.`)
  const now = await ask(ctx, 'describe', bucket)
  const refused = await apply(ctx, bucket, differences(wanted, (now.get('bucket') ?? new Map()) as Dict))
  if (refused !== undefined) return failed(`Failed to create bucket: ${refused}.`)
  const after = await ask(ctx, 'describe', bucket)
  return changed(`S3 bucket ${bucket.Bucket} created.`, { old: { bucket: null }, new: after })
}

interface Gap {
  isThere: boolean
  gaps: Difference[]
  /** The error, if the setting cannot be changed. */
  wrong: string | undefined
}

const changesOf = (gaps: readonly Difference[]) => ({
  new: new Map(gaps.map(({ name, now }): [Value, Value] => [name, now])),
  old: new Map(gaps.map(({ name, old }): [Value, Value] => [name, old])),
})

export default defineState({
  name: 'boto_s3_bucket',
  doc: 'Manage buckets of S3.',
  functions: {
    present: state({
      doc: 'Ensure that a bucket exists, with exactly the given settings.',
      args: {
        name: NAME,
        Bucket: BUCKET,
        LocationConstraint: arg.text('Region of the bucket; none for us-east-1', { optional: true }),
        ...SETTINGS,
        ...LOGIN,
      },
      run: (ctx, { name: _name, Bucket, LocationConstraint, region, key, keyid, profile, ...wanted }) => {
        const bucket: Bucket = { Bucket, region, key, keyid, profile }
        return ensure<Gap>(ctx, {
          name: Bucket,
          look: async () => {
            const found = await ask(ctx, 'exists', bucket)
            if (found.has('error')) return failed(`Failed to create bucket: ${messageOf(found)}.`)
            if (!truthy(found.get('exists') ?? false)) return { isThere: false, gaps: [], wrong: undefined }
            const described = await ask(ctx, 'describe', bucket)
            if (described.has('error')) return failed(`Failed to update bucket: ${messageOf(described)}.`)
            const present = (described.get('bucket') ?? new Map()) as Dict
            const gaps = differences(wanted, present)
            const isElsewhere = part(present.get('Location'), 'LocationConstraint') !== LocationConstraint
            const wrong = isElsewhere
              ? `Failed to update bucket: Bucket ${str(LocationConstraint)} location does not match desired configuration, but cannot be changed.`
              : undefined
            if (gaps.length > 0) return { isThere: true, gaps, wrong }
            return wrong === undefined ? settled(` S3 bucket ${Bucket} is present.`) : failed(wrong)
          },
          foresee: ({ isThere, gaps }) =>
            isThere
              ? foreseen(`S3 bucket ${Bucket} set to be modified.`, changesOf(gaps))
              : `S3 bucket ${Bucket} is set to be created.`,
          act: async ({ isThere, gaps, wrong }) => {
            if (!isThere) return create(ctx, bucket, wanted, LocationConstraint)
            const refused = await apply(ctx, bucket, gaps)
            if (refused !== undefined) return failed(`Failed to update bucket: ${refused}.`)
            return wrong === undefined
              ? changed(` S3 bucket ${Bucket} is present.`, changesOf(gaps))
              : failed(wrong, changesOf(gaps))
          },
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a bucket does not exist.',
      args: {
        name: NAME,
        Bucket: BUCKET,
        Force: arg.flag('Whether it is emptied first', { default: false }),
        ...LOGIN,
      },
      run: (ctx, { name: _name, Bucket, Force, ...login }) => {
        const bucket: Bucket = { Bucket, ...login }
        return ensure(ctx, {
          name: Bucket,
          look: async () => {
            const found = await ask(ctx, 'exists', bucket)
            if (found.has('error')) return failed(`Failed to delete bucket: ${messageOf(found)}.`)
            return truthy(found.get('exists') ?? false) ? 'there' : settled(`S3 bucket ${Bucket} does not exist.`)
          },
          foresee: () => `S3 bucket ${Bucket} is set to be removed.`,
          act: async () => {
            const gone = await ask(ctx, 'delete', bucket, { Force })
            if (!truthy(gone.get('deleted') ?? false)) return failed(`Failed to delete bucket: ${messageOf(gone)}.`)
            return changed(`S3 bucket ${Bucket} deleted.`, { old: { bucket: Bucket }, new: { bucket: null } })
          },
        })
      },
    }),
  },
})

// Buckets of S3 and their settings by Salt's names.
import { type Dict, decodeBytes, dumpJson, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { orError, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import {
  ACL,
  BUCKET,
  type BucketArgs,
  type BucketRequest,
  dictOf,
  GRANTS,
  headersOf,
  listBuckets,
  listOf,
  MFA,
  pages,
  parsed,
  read,
  send,
} from './bucket.ts'

const UPDATED = ret.dict('`updated` and `name`, or `updated` and `error`')
const DELETED = ret.dict('`deleted`, and `error` where it failed')

const entries = (content: Record<string, Value>): Dict =>
  new Map<Value, Value>(Object.entries(content).filter(([, value]) => value !== null))

/** Set a sub-resource of a bucket. */
const update = (
  ctx: FunctionContext,
  bucket: BucketArgs,
  part: string,
  request: Omit<BucketRequest, 'method' | 'query'>,
) =>
  orError(
    send(ctx, bucket, { method: 'PUT', query: { [part]: '' }, ...request }).then(() => ({
      updated: true,
      name: bucket.Bucket,
    })),
    { updated: false },
  )

/** Return a function that deletes a sub-resource. */
const deletes = (what: string, part: string, name: string) =>
  changes({
    doc: `Delete the ${what} of a bucket.`,
    example: `boto_s3_bucket.${name} mybucket`,
    args: BUCKET,
    returns: DELETED,
    run: (ctx, bucket) => {
      const request = { action: `DeleteBucket${part}`, method: 'DELETE' as const, query: { [part.toLowerCase()]: '' } }
      return orError(
        send(ctx, bucket, request).then(() => ({ deleted: true })),
        { deleted: false },
      )
    },
  })

/** Settings in the result of `describe`, by their sub-resource. */
const PARTS: [name: string, part: string][] = [
  ['ACL', 'acl'],
  ['CORS', 'cors'],
  ['LifecycleConfiguration', 'lifecycle'],
  ['Location', 'location'],
  ['Logging', 'logging'],
  ['NotificationConfiguration', 'notification'],
  ['Policy', 'policy'],
  ['Replication', 'replication'],
  ['RequestPayment', 'requestPayment'],
  ['Versioning', 'versioning'],
  ['Website', 'website'],
  ['Tagging', 'tagging'],
]

const UNSET = [
  'NoSuchLifecycleConfiguration',
  'NoSuchCORSConfiguration',
  'NoSuchBucketPolicy',
  'NoSuchWebsiteConfiguration',
  'ReplicationConfigurationNotFoundError',
  'NoSuchTagSet',
]

async function setting(ctx: FunctionContext, bucket: BucketArgs, name: string, part: string): Promise<Dict | null> {
  const request = { action: `GetBucket${name}`, query: { [part]: '' } }
  if (name === 'Policy') return new Map([['Policy', decodeBytes((await send(ctx, bucket, request)).body)]])
  const found = await read(ctx, bucket, request)
  if (name === 'Replication') return new Map([['ReplicationConfiguration', found]])
  if (name === 'RequestPayment') return new Map([['Payer', found.get('Payer') ?? 'BucketOwner']])
  if (name !== 'Tagging') return found
  const tags = ((found.get('TagSet') as Dict[] | undefined) ?? []).map((tag): [Value, Value] => [
    tag.get('Key')!,
    tag.get('Value') ?? '',
  ])
  return tags.length > 0 ? new Map(tags) : null
}

async function describe(ctx: FunctionContext, bucket: BucketArgs): Promise<Dict> {
  const result: Dict = new Map()
  for (const [name, part] of PARTS) {
    const value = await unlessFault(setting(ctx, bucket, name, part), () => null, ...UNSET)
    if (value !== null) result.set(name, value)
  }
  return result
}

const MOST_AT_ONCE = 1000

type Payer = Readonly<{ MFA: string | null; RequestPayer: string | null }>

async function deleteObjects(ctx: FunctionContext, bucket: BucketArgs, objects: Value[], payer: Payer) {
  const failed: Value[] = []
  for (let at = 0; at < objects.length; at += MOST_AT_ONCE) {
    const content = entries({ Objects: objects.slice(at, at + MOST_AT_ONCE), Quiet: true })
    const answer = await read(ctx, bucket, {
      action: 'DeleteObjects',
      method: 'POST',
      query: { delete: '' },
      headers: headersOf(payer),
      document: ['Delete', content],
    })
    failed.push(...((answer.get('Errors') as Value[] | undefined) ?? []))
  }
  return failed.length > 0 ? { deleted: false, failed } : { deleted: true }
}

const versions = (ctx: FunctionContext, bucket: BucketArgs, query: Record<string, string | null> = {}) =>
  pages(
    ctx,
    bucket,
    { action: 'ListObjectVersions', query: { versions: '', ...query } },
    {
      lists: ['Versions', 'DeleteMarkers'],
      tokens: { NextKeyMarker: 'key-marker', NextVersionIdMarker: 'version-id-marker' },
    },
  )

async function empty(ctx: FunctionContext, bucket: BucketArgs, payer: Payer) {
  const { Versions = [], DeleteMarkers = [] } = await versions(ctx, bucket)
  const objects = [...Versions, ...DeleteMarkers].map((one) => {
    const { Key, VersionId } = Object.fromEntries(one as Dict) as Record<string, Value>
    return entries({ Key: Key ?? null, VersionId: VersionId ?? null })
  })
  return deleteObjects(ctx, bucket, objects, payer)
}

async function roleArn(ctx: FunctionContext, role: string, login: AwsLogin): Promise<string> {
  if (role.startsWith('arn:')) return role
  const who = await AwsCaller.of(ctx, 'sts', login, 's3').query('GetCallerIdentity')
  return `arn:aws:iam::${who.text('GetCallerIdentityResult.Account')}:role/${role}`
}

const SEARCH = {
  Delimiter: arg.text('What groups keys', { optional: true }),
  EncodingType: arg.text('`url` for keys that XML cannot hold', { optional: true }),
  Prefix: arg.text('What keys begin with', { optional: true }),
}

const given = (doc: string) => arg.any(`${doc}, or JSON of it`, { optional: true })

export default defineModule({
  name: 'boto_s3_bucket',
  doc: 'Manage buckets of S3.',
  functions: {
    exists: reads({
      doc: 'Return whether a bucket exists, as `exists`.',
      example: 'boto_s3_bucket.exists mybucket',
      args: BUCKET,
      returns: ret.dict('`exists`, or `error`'),
      run: (ctx, bucket) => {
        const found = send(ctx, bucket, { action: 'HeadBucket', method: 'HEAD' }).then(() => ({ exists: true }))
        return orError(unlessFault(found, () => ({ exists: false }), 'http-404', 'NoSuchBucket'))
      },
    }),
    create: changes({
      doc: 'Create a bucket.',
      example: 'boto_s3_bucket.create mybucket LocationConstraint=us-west-1',
      args: {
        Bucket: BUCKET.Bucket,
        ACL,
        LocationConstraint: arg.text('Region of the bucket', { optional: true }),
        ...GRANTS,
        ...LOGIN,
      },
      returns: ret.dict('`created`, `name` and `Location`, or `created` and `error`'),
      run: (ctx, { Bucket, LocationConstraint, region, key, keyid, profile, ...headers }) => {
        const document = LocationConstraint ? entries({ LocationConstraint }) : undefined
        const made = send(
          ctx,
          { Bucket, region, key, keyid, profile },
          {
            action: 'CreateBucket',
            method: 'PUT',
            headers: headersOf(headers),
            ...(document && { document: ['CreateBucketConfiguration', document] }),
          },
        )
        return orError(
          made.then((answer) => ({ created: true, name: Bucket, Location: answer.headers.get('location') ?? null })),
          { created: false },
        )
      },
    }),
    delete: changes({
      doc: 'Delete a bucket.',
      example: 'boto_s3_bucket.delete mybucket',
      args: {
        Bucket: BUCKET.Bucket,
        ...MFA,
        Force: arg.flag('Whether it is emptied first', { default: false }),
        ...LOGIN,
      },
      returns: DELETED,
      run: (ctx, { MFA: mfa, RequestPayer, Force, ...bucket }) => {
        const remove = async () => {
          if (Force) await empty(ctx, bucket, { MFA: mfa, RequestPayer })
          await send(ctx, bucket, { action: 'DeleteBucket', method: 'DELETE' })
          return { deleted: true }
        }
        return orError(remove(), { deleted: false })
      },
    }),
    delete_objects: changes({
      doc: 'Delete objects of a bucket.',
      example: "boto_s3_bucket.delete_objects mybucket '{Objects: [Key: myobject]}'",
      args: {
        Bucket: BUCKET.Bucket,
        Delete: arg.any('Dict with `Objects`, a list of dicts with `Key`, or JSON of it'),
        ...MFA,
        ...LOGIN,
      },
      returns: ret.dict('`deleted`, and `failed` or `error`'),
      run: (ctx, { Delete, MFA: mfa, RequestPayer, ...bucket }) => {
        const wanted = parsed(Delete)
        if (!isDict(wanted) || !wanted.has('Objects')) throw misuse('Malformed Delete request.')
        const objects = listOf(wanted.get('Objects')!, 'Objects')
        return orError(deleteObjects(ctx, bucket, objects, { MFA: mfa, RequestPayer }), { deleted: false })
      },
    }),
    describe: reads({
      doc: 'Return the settings of a bucket.',
      example: 'boto_s3_bucket.describe mybucket',
      args: BUCKET,
      returns: ret.dict('`bucket`, None where there is none, or `error`'),
      run: (ctx, bucket) => {
        const found = describe(ctx, bucket).then((settings): { bucket: Dict | null } => ({ bucket: settings }))
        return orError(unlessFault(found, () => ({ bucket: null }), 'NoSuchBucket'))
      },
    }),
    empty: changes({
      doc: 'Delete all objects of a bucket, with all their versions.',
      example: 'boto_s3_bucket.empty mybucket',
      args: { Bucket: BUCKET.Bucket, ...MFA, ...LOGIN },
      returns: ret.dict('`deleted`, and `failed` or `error`'),
      run: (ctx, { MFA: mfa, RequestPayer, ...bucket }) =>
        orError(empty(ctx, bucket, { MFA: mfa, RequestPayer }), { deleted: false }),
    }),
    list: reads({
      doc: 'Return all buckets of the account, and who owns them.',
      args: LOGIN,
      returns: ret.dict('`Owner` and `Buckets`, or `error`'),
      run: (ctx, login) => orError(listBuckets(ctx, login)),
    }),
    list_object_versions: reads({
      doc: 'Return all versions of the objects of a bucket.',
      example: 'boto_s3_bucket.list_object_versions mybucket',
      args: { Bucket: BUCKET.Bucket, ...SEARCH, ...LOGIN },
      returns: ret.dict('`Versions` and `DeleteMarkers`, or `error`'),
      run: (ctx, { Delimiter, EncodingType, Prefix, ...bucket }) => {
        const query = { delimiter: Delimiter, 'encoding-type': EncodingType, prefix: Prefix }
        return orError(versions(ctx, bucket, query))
      },
    }),
    list_objects: reads({
      doc: 'Return the objects of a bucket.',
      example: 'boto_s3_bucket.list_objects mybucket',
      args: {
        Bucket: BUCKET.Bucket,
        ...SEARCH,
        FetchOwner: arg.flag('Whether owners are returned too', { default: false }),
        StartAfter: arg.text('Key after which to begin', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dict('`Contents`, or `error`'),
      run: (ctx, { Delimiter, EncodingType, Prefix, FetchOwner, StartAfter, ...bucket }) => {
        const search = { delimiter: Delimiter, 'encoding-type': EncodingType, prefix: Prefix }
        const query = { 'list-type': 2, 'fetch-owner': FetchOwner, 'start-after': StartAfter, ...search }
        const shape = { lists: ['Contents'], tokens: { NextContinuationToken: 'continuation-token' } }
        return orError(pages(ctx, bucket, { action: 'ListObjectsV2', query }, shape))
      },
    }),
    put_acl: changes({
      doc: 'Set who may do what with a bucket.',
      example: 'boto_s3_bucket.put_acl mybucket public-read',
      args: {
        Bucket: BUCKET.Bucket,
        ACL,
        AccessControlPolicy: given('Dict with `Owner` and `Grants`'),
        ...GRANTS,
        ...LOGIN,
      },
      returns: UPDATED,
      run: (ctx, { Bucket, AccessControlPolicy, region, key, keyid, profile, ...headers }) => {
        const bucket = { Bucket, region, key, keyid, profile }
        const policy = AccessControlPolicy === null ? undefined : dictOf(AccessControlPolicy, 'AccessControlPolicy')
        return update(ctx, bucket, 'acl', {
          action: 'PutBucketAcl',
          headers: headersOf(headers),
          ...(policy && { document: ['AccessControlPolicy', policy] }),
        })
      },
    }),
    put_cors: changes({
      doc: 'Set which web pages of other origins may use a bucket.',
      example: 'boto_s3_bucket.put_cors mybucket \'[{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]\'',
      args: { Bucket: BUCKET.Bucket, CORSRules: given('List of rules'), ...LOGIN },
      returns: UPDATED,
      run: (ctx, { CORSRules, ...bucket }) =>
        update(ctx, bucket, 'cors', {
          action: 'PutBucketCors',
          document: ['CORSConfiguration', entries({ CORSRules: listOf(CORSRules, 'CORSRules') })],
        }),
    }),
    put_lifecycle_configuration: changes({
      doc: 'Set when objects of a bucket move to other storage or are deleted.',
      example:
        'boto_s3_bucket.put_lifecycle_configuration mybucket \'[{"ID": "old", "Prefix": "log/", "Status": "Enabled", "Expiration": {"Days": 90}}]\'',
      args: { Bucket: BUCKET.Bucket, Rules: given('List of rules'), ...LOGIN },
      returns: UPDATED,
      run: (ctx, { Rules, ...bucket }) =>
        update(ctx, bucket, 'lifecycle', {
          action: 'PutBucketLifecycleConfiguration',
          document: ['LifecycleConfiguration', entries({ Rules: listOf(Rules, 'Rules') })],
        }),
    }),
    put_logging: changes({
      doc: 'Set where requests to a bucket are logged; nowhere unless something is given.',
      example: 'boto_s3_bucket.put_logging mybucket log_bucket prefix',
      args: {
        Bucket: BUCKET.Bucket,
        TargetBucket: arg.text('Bucket of the logs', { optional: true }),
        TargetPrefix: arg.text('What the keys of logs begin with', { optional: true }),
        TargetGrants: given('List of grants for the logs'),
        ...LOGIN,
      },
      returns: UPDATED,
      run: (ctx, { TargetBucket, TargetPrefix, TargetGrants, ...bucket }) => {
        const grants = TargetGrants === null ? null : listOf(TargetGrants, 'TargetGrants')
        const target = entries({ TargetBucket, TargetPrefix, TargetGrants: grants })
        const content = entries(target.size > 0 ? { LoggingEnabled: target } : {})
        return update(ctx, bucket, 'logging', {
          action: 'PutBucketLogging',
          document: ['BucketLoggingStatus', content],
        })
      },
    }),
    put_notification_configuration: changes({
      doc: 'Set which events of a bucket are told to topics, queues and functions.',
      example:
        'boto_s3_bucket.put_notification_configuration mybucket \'[{"TopicArn": "arn:…", "Events": ["s3:ObjectCreated:*"]}]\'',
      args: {
        Bucket: BUCKET.Bucket,
        TopicConfigurations: given('List of dicts with `TopicArn` and `Events`'),
        QueueConfigurations: given('List of dicts with `QueueArn` and `Events`'),
        LambdaFunctionConfigurations: given('List of dicts with `LambdaFunctionArn` and `Events`'),
        ...LOGIN,
      },
      returns: UPDATED,
      run: (ctx, { TopicConfigurations, QueueConfigurations, LambdaFunctionConfigurations, ...bucket }) => {
        const content = entries({
          TopicConfigurations: listOf(TopicConfigurations, 'TopicConfigurations'),
          QueueConfigurations: listOf(QueueConfigurations, 'QueueConfigurations'),
          LambdaFunctionConfigurations: listOf(LambdaFunctionConfigurations, 'LambdaFunctionConfigurations'),
        })
        const action = 'PutBucketNotificationConfiguration'
        return update(ctx, bucket, 'notification', { action, document: ['NotificationConfiguration', content] })
      },
    }),
    put_policy: changes({
      doc: 'Set the policy of a bucket.',
      example: 'boto_s3_bucket.put_policy mybucket \'{"Version": "2012-10-17", "Statement": []}\'',
      args: { Bucket: BUCKET.Bucket, Policy: given('Policy'), ...LOGIN },
      returns: UPDATED,
      run: (ctx, { Policy, ...bucket }) => {
        const body = typeof Policy === 'string' ? Policy : dumpJson(Policy ?? new Map())
        return update(ctx, bucket, 'policy', { action: 'PutBucketPolicy', body })
      },
    }),
    put_replication: changes({
      doc: 'Set where objects of a bucket are copied to.',
      example: "boto_s3_bucket.put_replication mybucket my_role '[…]'",
      args: {
        Bucket: BUCKET.Bucket,
        Role: arg.text('Name or ARN of the role that copies'),
        Rules: given('List of rules'),
        ...LOGIN,
      },
      returns: UPDATED,
      run: async (ctx, { Role, Rules, Bucket, ...login }) => {
        const rules = listOf(Rules, 'Rules')
        const content = entries({ Role: await roleArn(ctx, Role, login), Rules: rules })
        const document: [string, Dict] = ['ReplicationConfiguration', content]
        return update(ctx, { Bucket, ...login }, 'replication', { action: 'PutBucketReplication', document })
      },
    }),
    put_request_payment: changes({
      doc: 'Set who pays for downloads from a bucket.',
      example: 'boto_s3_bucket.put_request_payment mybucket Requester',
      args: { Bucket: BUCKET.Bucket, Payer: arg.text('`Requester` or `BucketOwner`'), ...LOGIN },
      returns: UPDATED,
      run: (ctx, { Payer, ...bucket }) =>
        update(ctx, bucket, 'requestPayment', {
          action: 'PutBucketRequestPayment',
          document: ['RequestPaymentConfiguration', entries({ Payer })],
        }),
    }),
    put_tagging: changes({
      doc: 'Set the tags of a bucket.',
      example: 'boto_s3_bucket.put_tagging mybucket team=web',
      args: { ...BUCKET, tags: arg.open('The tags') },
      returns: UPDATED,
      run: (ctx, { tags, ...bucket }) => {
        const own = [...tags].filter(([name]) => !name.startsWith('__'))
        const TagSet = own.map(([Key, value]) => entries({ Key, Value: str(value) }))
        return update(ctx, bucket, 'tagging', {
          action: 'PutBucketTagging',
          document: ['Tagging', entries({ TagSet })],
        })
      },
    }),
    put_versioning: changes({
      doc: 'Set whether a bucket keeps the versions of its objects.',
      example: 'boto_s3_bucket.put_versioning mybucket Enabled',
      args: {
        Bucket: BUCKET.Bucket,
        Status: arg.text('`Enabled` or `Suspended`'),
        MFADelete: arg.text('`Enabled` where deleting a version needs a device', { optional: true }),
        MFA: MFA.MFA,
        ...LOGIN,
      },
      returns: UPDATED,
      run: (ctx, { Status, MFADelete, MFA: mfa, ...bucket }) =>
        update(ctx, bucket, 'versioning', {
          action: 'PutBucketVersioning',
          headers: headersOf({ MFA: mfa }),
          document: ['VersioningConfiguration', entries({ Status, MFADelete })],
        }),
    }),
    put_website: changes({
      doc: 'Set how a bucket is shown as a website.',
      example: 'boto_s3_bucket.put_website mybucket IndexDocument=\'{"Suffix":"index.html"}\'',
      args: {
        Bucket: BUCKET.Bucket,
        ErrorDocument: given('Dict with `Key`'),
        IndexDocument: given('Dict with `Suffix`'),
        RedirectAllRequestsTo: given('Dict with `HostName` and `Protocol`'),
        RoutingRules: given('List of dicts with `Condition` and `Redirect`'),
        ...LOGIN,
      },
      returns: UPDATED,
      run: (ctx, { ErrorDocument, IndexDocument, RedirectAllRequestsTo, RoutingRules, ...bucket }) => {
        const content = entries({
          ErrorDocument: parsed(ErrorDocument),
          IndexDocument: parsed(IndexDocument),
          RedirectAllRequestsTo: parsed(RedirectAllRequestsTo),
          RoutingRules: parsed(RoutingRules),
        })
        const document: [string, Dict] = ['WebsiteConfiguration', content]
        return update(ctx, bucket, 'website', { action: 'PutBucketWebsite', document })
      },
    }),
    delete_cors: deletes('CORS rules', 'Cors', 'delete_cors'),
    delete_lifecycle_configuration: deletes('lifecycle rules', 'Lifecycle', 'delete_lifecycle_configuration'),
    delete_policy: deletes('policy', 'Policy', 'delete_policy'),
    delete_replication: deletes('replication', 'Replication', 'delete_replication'),
    delete_tagging: deletes('tags', 'Tagging', 'delete_tagging'),
    delete_website: deletes('website', 'Website', 'delete_website'),
  },
})

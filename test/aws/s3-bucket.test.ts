// The module and the states boto_s3_bucket against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, hasMoto, ways, withoutMoto } from './service.ts'

describe.each(ways())('buckets of S3, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 's3-bucket')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())

  const call = (name: string, given?: Plain) => calls.call(name, given)
  const Bucket = 'shop'
  const updated = { updated: true, name: Bucket }
  const policy = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::shop/*' }],
  }

  test('a bucket is created, described and listed', async () => {
    expect(await call('boto_s3_bucket.exists', { Bucket })).toEqual({ exists: false })
    expect(await call('boto_s3_bucket.describe', { Bucket })).toEqual({ bucket: null })
    expect(await call('boto_s3_bucket.create', { Bucket, ACL: 'private' })).toMatchObject({
      created: true,
      name: Bucket,
    })
    expect(await call('boto_s3_bucket.exists', { Bucket })).toEqual({ exists: true })
    expect(await call('boto_s3_bucket.list')).toMatchObject({
      Owner: { ID: expect.any(String) },
      Buckets: [{ Name: Bucket }],
    })
    await expect(call('boto_s3_bucket.exists', { Bucket: '../x' })).rejects.toThrow("'../x' is no name of a bucket")
    await expect(call('boto_s3_bucket.create', { Bucket, GrantRead: 'id=1\r\nx: y' })).rejects.toThrow(
      'more than one line',
    )
    const west = { Bucket: 'west', LocationConstraint: 'eu-west-1' }
    expect(await call('boto_s3_bucket.create', west)).toMatchObject({ created: true })
    expect(await call('boto_s3_bucket.describe', { Bucket: 'west' })).toMatchObject({
      bucket: { Location: { LocationConstraint: 'eu-west-1' } },
    })
    expect(await call('boto_s3_bucket.delete', { Bucket: 'west' })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete', { Bucket: 'west' })).toMatchObject({
      deleted: false,
      error: { message: expect.stringContaining('(NoSuchBucket) when calling the DeleteBucket operation') },
    })
  })

  test('all settings are put, described and deleted', async () => {
    const cors = [{ AllowedMethods: ['GET', 'PUT'], AllowedOrigins: ['https://a.example'], MaxAgeSeconds: 60 }]
    expect(await call('boto_s3_bucket.put_cors', { Bucket, CORSRules: cors })).toEqual(updated)
    const rules = [{ ID: 'old', Filter: { Prefix: 'log/' }, Status: 'Enabled', Expiration: { Days: 90 } }]
    expect(await call('boto_s3_bucket.put_lifecycle_configuration', { Bucket, Rules: JSON.stringify(rules) })).toEqual(
      updated,
    )
    expect(await call('boto_s3_bucket.put_policy', { Bucket, Policy: policy })).toEqual(updated)
    expect(await call('boto_s3_bucket.put_versioning', { Bucket, Status: 'Enabled' })).toEqual(updated)
    expect(await call('boto_s3_bucket.put_tagging', { Bucket, team: 'web', cost: 7 })).toEqual(updated)
    const IndexDocument = { Suffix: 'index.html' }
    expect(
      await call('boto_s3_bucket.put_website', { Bucket, IndexDocument, ErrorDocument: '{"Key": "404.html"}' }),
    ).toEqual(updated)
    expect(await call('boto_s3_bucket.put_request_payment', { Bucket, Payer: 'Requester' })).toEqual(updated)
    expect(await call('boto_s3_bucket.put_acl', { Bucket, ACL: 'public-read' })).toEqual(updated)
    await call('boto_s3_bucket.create', { Bucket: 'logs', ACL: 'log-delivery-write' })
    await call('boto_s3_bucket.put_versioning', { Bucket: 'logs', Status: 'Enabled' })
    expect(await call('boto_s3_bucket.put_logging', { Bucket, TargetBucket: 'logs', TargetPrefix: 'shop/' })).toEqual(
      updated,
    )
    await calls.call('boto_sqs.create', { name: 'uploads' })
    const QueueArn = 'arn:aws:sqs:us-east-1:123456789012:uploads'
    const QueueConfigurations = [{ Id: 'up', QueueArn, Events: ['s3:ObjectCreated:*'] }]
    expect(await call('boto_s3_bucket.put_notification_configuration', { Bucket, QueueConfigurations })).toEqual(
      updated,
    )
    const copies = [
      { ID: 'all', Prefix: '', Status: 'Enabled', Priority: 1, Destination: { Bucket: 'arn:aws:s3:::logs' } },
    ]
    expect(await call('boto_s3_bucket.put_replication', { Bucket, Role: 'copier', Rules: copies })).toEqual(updated)
    const { bucket } = (await call('boto_s3_bucket.describe', { Bucket })) as {
      bucket: Record<string, Record<string, unknown>>
    }
    expect(bucket).toMatchObject({
      CORS: { CORSRules: cors },
      LifecycleConfiguration: { Rules: rules },
      Versioning: { Status: 'Enabled' },
      Tagging: { team: 'web', cost: '7' },
      Website: { IndexDocument, ErrorDocument: { Key: '404.html' } },
      Logging: { LoggingEnabled: { TargetBucket: 'logs', TargetPrefix: 'shop/' } },
      NotificationConfiguration: { QueueConfigurations },
      RequestPayment: { Payer: expect.any(String) },
      Replication: { ReplicationConfiguration: { Role: expect.stringMatching(/^arn:aws:iam::\d+:role\/copier$/) } },
    })
    expect(JSON.parse(String(bucket['Policy']!['Policy']))).toEqual(policy)
    expect(JSON.stringify(bucket['ACL'])).toContain('"Permission":"READ"')
    expect(await call('boto_s3_bucket.put_cors', { Bucket: 'none', CORSRules: cors })).toMatchObject({ updated: false })
  })

  test('settings are deleted', async () => {
    expect(await call('boto_s3_bucket.delete_cors', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete_lifecycle_configuration', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete_policy', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete_replication', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete_tagging', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.delete_website', { Bucket })).toEqual({ deleted: true })
    const { bucket } = (await call('boto_s3_bucket.describe', { Bucket })) as { bucket: Plain }
    expect(bucket).not.toHaveProperty('CORS')
    expect(bucket).not.toHaveProperty('Policy')
    expect(bucket).not.toHaveProperty('Tagging')
  })

  test('objects are listed and deleted with their versions', async () => {
    for (const path of ['a & b', 'c']) await calls.s3('s3.put', { bucket: Bucket, path })
    await calls.s3('s3.delete', { bucket: Bucket, path: 'c' })
    expect(await call('boto_s3_bucket.list_objects', { Bucket })).toMatchObject({
      Contents: [{ Key: 'a & b', Size: 0 }],
    })
    const versions = (await call('boto_s3_bucket.list_object_versions', { Bucket })) as Record<
      string,
      { Key: string }[]
    >
    expect(versions['Versions']!.map(({ Key }) => Key).sort()).toEqual(['a & b', 'c'])
    expect(versions['DeleteMarkers']).toMatchObject([{ Key: 'c', IsLatest: true }])
    expect(await call('boto_s3_bucket.delete_objects', { Bucket, Delete: { Objects: [{ Key: 'a & b' }] } })).toEqual({
      deleted: true,
    })
    expect(await call('boto_s3_bucket.list_objects', { Bucket })).toEqual({ Contents: [] })
    await expect(call('boto_s3_bucket.delete_objects', { Bucket, Delete: '{}' })).rejects.toThrow(
      'Malformed Delete request.',
    )
    expect(await call('boto_s3_bucket.empty', { Bucket })).toEqual({ deleted: true })
    expect(await call('boto_s3_bucket.list_object_versions', { Bucket })).toEqual({ Versions: [], DeleteMarkers: [] })
    expect(await call('boto_s3_bucket.delete', { Bucket, Force: true })).toEqual({ deleted: true })
  })

  test('a bucket has the settings of its state', async () => {
    const state = { name: 'files of the shop', Bucket: 'files' }
    const made = await calls.apply('boto_s3_bucket.present', state)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'S3 bucket files is set to be created.' })
    expect(made.done).toMatchObject({ comment: 'S3 bucket files created.', changes: { old: { bucket: null } } })
    expect(made.again.comment).toBe(' S3 bucket files is present.')
    const settings = {
      ...state,
      ACL: { ACL: 'public-read' },
      CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }],
      Policy: policy,
      Tagging: { team: 'web', cost: 7 },
      Versioning: { Status: 'Enabled' },
      Website: { IndexDocument: { Suffix: 'index.html' } },
    }
    const more = await calls.apply('boto_s3_bucket.present', settings)
    expect(more.foreseen).toMatchObject({ result: null, comment: 'S3 bucket files set to be modified.' })
    expect(more.done.changes['new']).toMatchObject({
      CORS: { CORSRules: settings.CORSRules },
      Policy: { Policy: policy },
    })
    const less = await calls.apply('boto_s3_bucket.present', state)
    expect(less.done.changes['new']).toMatchObject({ CORS: null, Tagging: null, Versioning: { Status: 'Suspended' } })
    const moved = await calls.run('boto_s3_bucket.present', { ...state, LocationConstraint: 'eu-west-1' }, false)
    expect(moved).toMatchObject({ result: false, comment: expect.stringContaining('location does not match') })
    const gone = await calls.apply('boto_s3_bucket.absent', { ...state, Force: true })
    expect(gone.foreseen.comment).toBe('S3 bucket files is set to be removed.')
    expect(gone.done.changes).toEqual({ old: { bucket: 'files' }, new: { bucket: null } })
    expect(gone.again.comment).toBe('S3 bucket files does not exist.')
  })

  test.runIf(way === 'moto')('aws-cli and the module see the same', async () => {
    const aws = awsCli(service.url)
    const tags = { TagSet: [{ Key: 'team', Value: 'web' }] }
    await aws('s3api', 'create-bucket', '--bucket', 'theirs')
    await aws('s3api', 'put-bucket-tagging', '--bucket', 'theirs', '--tagging', JSON.stringify(tags))
    expect(await call('boto_s3_bucket.describe', { Bucket: 'theirs' })).toMatchObject({
      bucket: { Tagging: { team: 'web' } },
    })
    const rules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }]
    await call('boto_s3_bucket.put_cors', { Bucket: 'theirs', CORSRules: rules })
    expect(await aws('s3api', 'get-bucket-cors', '--bucket', 'theirs')).toMatchObject({ CORSRules: rules })
  })
})

test.skipIf(hasMoto())(`buckets of S3 against moto (${withoutMoto})`, (ctx) => ctx.skip())

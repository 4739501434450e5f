// Functions of Lambda, against moto and against answers recorded from it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

/** Zip files with one file `index.py`. */
const ZIP = [
  'UEsDBBQAAAAAAAAAIVjV0kxrHgAAAB4AAAAIAAAAaW5kZXgucHlkZWYgcnVuKGV2ZW50LCBjb250ZXh0KTogcGFzcwpQSwECFAMUAAAAAAAAAC',
  'FY1dJMax4AAAAeAAAACAAAAAAAAAAAAAAAgAEAAAAAaW5kZXgucHlQSwUGAAAAAAEAAQA2AAAARAAAAAAA',
].join('')
const OTHER_ZIP = [
  'UEsDBBQAAAAAAAAAIVhvB79MJgAAACYAAAAIAAAAaW5kZXgucHlkZWYgcnVuKGV2ZW50LCBjb250ZXh0KTogcmV0dXJuIGV2ZW50ClBLAQIUAx',
  'QAAAAAAAAAIVhvB79MJgAAACYAAAAIAAAAAAAAAAAAAACAAQAAAABpbmRleC5weVBLBQYAAAAAAQABADYAAABMAAAAAAA=',
].join('')

const ROLE = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
}
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders'

describe.each(ways())('boto_lambda, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  const folder = mkdtempSync(join(tmpdir(), 'lambda-'))
  const [zip, other] = [join(folder, 'code.zip'), join(folder, 'other.zip')]
  beforeAll(async () => {
    writeFileSync(zip, Buffer.from(ZIP, 'base64'))
    writeFileSync(other, Buffer.from(OTHER_ZIP, 'base64'))
    service = await awsService(way, 'lambda')
    calls = new AwsCalls(service.url)
    await calls.call('boto_iam.create_role', { name: 'runner', policy_document: ROLE })
    await calls.call('boto_sqs.create', { name: 'orders' })
  })
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)

  const SHOP = { name: 'the shop', FunctionName: 'shop', Runtime: 'python3.12', Role: 'runner', Handler: 'index.run' }
  const fromS3 = { Action: 'lambda:InvokeFunction', Principal: 's3.amazonaws.com', SourceArn: 'arn:aws:s3:::shop' }
  const fromAccount = { Action: 'lambda:InvokeFunction', Principal: 'arn:aws:iam::111122223333:root' }

  test('a function has the code, configuration and permissions of its state', async () => {
    const shop = { ...SHOP, ZipFile: zip, Permissions: { s3: fromS3 } }
    const made = await calls.apply('boto_lambda.function_present', shop)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Function shop is set to be created.', changes: {} })
    expect(made.done).toMatchObject({
      name: 'shop',
      comment: 'Function shop created.',
      changes: {
        old: { function: null },
        new: {
          function: { MemorySize: 128, Role: expect.stringMatching(/:role\/runner$/), Permissions: { s3: fromS3 } },
        },
      },
    })
    expect(made.again.comment).toBe('\nFunction shop is present.   ')
    const more = {
      ...SHOP,
      ZipFile: other,
      Description: 'Of the shop',
      MemorySize: 256,
      Environment: { Variables: { LEVEL: 5 } },
      Permissions: { s3: { ...fromS3, SourceAccount: 123456789012 }, partner: fromAccount },
    }
    const changed = await calls.apply('boto_lambda.function_present', more)
    expect(changed.foreseen).toMatchObject({ result: null, comment: 'Function shop set to be modified.' })
    expect(changed.foreseen.changes).toEqual(changed.done.changes)
    expect(changed.done.changes).toMatchObject({
      old: { Description: '', MemorySize: 128, Permissions: { s3: fromS3, partner: {} } },
      new: {
        Description: 'Of the shop',
        MemorySize: 256,
        Environment: { Variables: { LEVEL: '5' } },
        CodeSize: Buffer.from(OTHER_ZIP, 'base64').length,
        Permissions: { partner: fromAccount },
      },
    })
    if (way === 'moto') {
      const { Configuration } = await awsCli(service.url)('lambda', 'get-function', '--function-name', 'shop')
      expect(Configuration).toMatchObject({ MemorySize: 256, Environment: { Variables: { LEVEL: '5' } } })
    }
    const bare = await calls.apply('boto_lambda.function_present', { ...more, Description: '', Permissions: null })
    expect(bare.done.changes).toMatchObject({ new: { Description: '', Permissions: { s3: {}, partner: {} } } })
    const wrong = { ...shop, Permissions: { s3: { Action: 'lambda:InvokeFunction' } } }
    await expect(calls.run('boto_lambda.function_present', wrong, true)).rejects.toThrow('Principal')
    const odd = { ...shop, Permissions: { s3: { ...fromS3, Sorce: 'x' } } }
    await expect(calls.run('boto_lambda.function_present', odd, true)).rejects.toThrow('Sorce')
  })

  test('aliases and event source mappings are made, changed and deleted by states', async () => {
    const alias = { name: 'live alias', FunctionName: 'shop', Name: 'live', FunctionVersion: '$LATEST' }
    const named = await calls.apply('boto_lambda.alias_present', alias)
    expect(named.foreseen).toMatchObject({ result: null, comment: 'Alias live is set to be created.' })
    expect(named.done.changes).toMatchObject({ old: { alias: null }, new: { alias: { FunctionVersion: '$LATEST' } } })
    const described = await calls.apply('boto_lambda.alias_present', { ...alias, Description: 'In use' })
    expect(described.foreseen.comment).toBe('Alias live set to be modified.')
    expect(described.foreseen.changes).toEqual(described.done.changes)
    expect(described.done.changes).toEqual({ old: { Description: '' }, new: { Description: 'In use' } })
    const gone = await calls.apply('boto_lambda.alias_absent', { name: 'x', FunctionName: 'shop', Name: 'live' })
    expect(gone.foreseen.comment).toBe('Alias live is set to be removed.')
    expect(gone.done.changes).toEqual({ old: { alias: 'live' }, new: { alias: null } })
    expect(gone.again.comment).toBe('Alias live does not exist.')

    const ends = { name: 'orders', EventSourceArn: QUEUE, FunctionName: 'shop' }
    const mapping = { ...ends, StartingPosition: 'LATEST', BatchSize: 5 }
    const mapped = await calls.apply('boto_lambda.event_source_mapping_present', mapping)
    expect(mapped.foreseen).toMatchObject({
      result: null,
      comment: 'Event source mapping shop is set to be created.',
    })
    expect(mapped.done).toMatchObject({
      comment: expect.stringMatching(/^Event source mapping [-0-9a-f]{36} created\.$/),
      changes: { old: { event_source_mapping: null }, new: { event_source_mapping: { BatchSize: 5 } } },
    })
    const smaller = await calls.apply('boto_lambda.event_source_mapping_present', { ...mapping, BatchSize: 3 })
    expect(smaller.foreseen.result).toBeNull()
    expect(smaller.done.changes).toEqual({ old: { BatchSize: 5 }, new: { BatchSize: 3 } })
    const cut = await calls.apply('boto_lambda.event_source_mapping_absent', ends)
    expect(cut.foreseen.comment).toBe('Event source mapping is set to be removed.')
    expect(cut.done).toMatchObject({ comment: 'Event source mapping deleted.' })
    expect(cut.again.comment).toBe('Event source mapping does not exist.')

    const removed = await calls.apply('boto_lambda.function_absent', { name: 'x', FunctionName: 'shop' })
    expect(removed.foreseen).toMatchObject({ result: null, comment: 'Function shop is set to be removed.' })
    expect(removed.done.changes).toEqual({ old: { function: 'shop' }, new: { function: null } })
    expect(removed.again.comment).toBe('Function shop does not exist.')
  })

  test('functions look after functions', async () => {
    const lab = { FunctionName: 'lab' }
    expect(await call('boto_lambda.function_exists', lab)).toEqual({ exists: false })
    expect(await call('boto_lambda.describe_function', lab)).toEqual({ function: null })
    const create = { ...lab, Runtime: 'python3.12', Role: 'runner', Handler: 'index.run' }
    await expect(call('boto_lambda.create_function', create)).rejects.toThrow('ZipFile')
    await expect(call('boto_lambda.create_function', { ...create, ZipFile: folder })).rejects.toThrow('is no file')
    const roleless = { ...create, ZipFile: zip, Role: 'arn:aws:iam::123456789012:role/nobody' }
    expect(await call('boto_lambda.create_function', roleless)).toMatchObject({
      created: false,
      error: { message: expect.stringContaining('(InvalidParameterValueException)') },
    })
    expect(await call('boto_lambda.create_function', { ...create, ZipFile: zip, Publish: true })).toEqual({
      created: true,
      name: 'lab',
    })
    expect(await call('boto_lambda.function_exists', lab)).toEqual({ exists: true })
    expect(await call('boto_lambda.describe_function', lab)).toMatchObject({ function: { Handler: 'index.run' } })
    expect(await call('boto_lambda.list_functions')).toMatchObject([lab])
    const update = { ...lab, Timeout: 9, Environment: '{"Variables": {"A": "b"}}' }
    expect(await call('boto_lambda.update_function_config', update)).toMatchObject({
      updated: true,
      function: { Timeout: 9, Handler: 'index.run', Environment: { Variables: { A: 'b' } } },
    })
    await call('boto_s3_bucket.create', { Bucket: 'code' })
    await calls.s3('s3.put', { bucket: 'code', path: 'lab.zip', local_file: other })
    const stored = { ...lab, S3Bucket: 'code', S3Key: 'lab.zip' }
    expect(await call('boto_lambda.update_function_code', stored)).toMatchObject({
      updated: true,
      function: { CodeSize: Buffer.from(OTHER_ZIP, 'base64').length },
    })
    const state = { ...create, Timeout: 9, name: 'x', S3Bucket: 'code', S3Key: 'lab.zip' }
    expect(await calls.run('boto_lambda.function_present', state, false)).toMatchObject({ result: true, changes: {} })
    expect(await calls.run('boto_lambda.function_present', state, true)).toMatchObject({ result: null })
    expect(await call('boto_lambda.update_function_code', { ...stored, FunctionName: 'none' })).toMatchObject({
      updated: false,
      error: { message: expect.stringContaining('(ResourceNotFoundException)') },
    })
    const { Versions } = (await call('boto_lambda.list_function_versions', lab)) as { Versions: Plain[] }
    expect(Versions).toMatchObject([{ Version: '$LATEST' }, { Version: '1' }])
    expect(await call('boto_lambda.get_permissions', lab)).toEqual({ permissions: null })
    const permission = { ...lab, StatementId: 'partner', ...fromAccount }
    expect(await call('boto_lambda.add_permission', permission)).toEqual({ updated: true })
    expect(await call('boto_lambda.get_permissions', lab)).toEqual({
      permissions: { partner: { Action: 'lambda:InvokeFunction', Principal: '111122223333' } },
    })
    expect(await call('boto_lambda.remove_permission', { ...lab, StatementId: 'partner' })).toEqual({ updated: true })
    expect(await call('boto_lambda.remove_permission', { ...lab, StatementId: 'partner' })).toMatchObject({
      updated: false,
    })
  })

  test('functions look after aliases and event source mappings', async () => {
    const alias = { FunctionName: 'lab', Name: 'live' }
    expect(await call('boto_lambda.alias_exists', alias)).toEqual({ exists: false })
    expect(await call('boto_lambda.create_alias', { ...alias, FunctionVersion: '1' })).toEqual({
      created: true,
      name: 'live',
    })
    expect(await call('boto_lambda.create_alias', { ...alias, FunctionVersion: '1' })).toMatchObject({ created: false })
    expect(await call('boto_lambda.alias_exists', alias)).toEqual({ exists: true })
    expect(await call('boto_lambda.update_alias', { ...alias, Description: 'In use' })).toEqual({
      updated: true,
      alias: { Name: 'live', FunctionVersion: '1', Description: 'In use' },
    })
    expect(await call('boto_lambda.describe_alias', alias)).toMatchObject({
      alias: { AliasArn: expect.stringMatching(/:function:lab:live$/) },
    })
    expect(await call('boto_lambda.delete_alias', alias)).toEqual({ deleted: true })
    expect(await call('boto_lambda.describe_alias', alias)).toEqual({ alias: null })

    const ends = { EventSourceArn: QUEUE, FunctionName: 'lab' }
    expect(await call('boto_lambda.event_source_mapping_exists', ends)).toEqual({ exists: false })
    await expect(call('boto_lambda.event_source_mapping_exists', { UUID: 'x', ...ends })).rejects.toThrow('UUID')
    const create = { ...ends, StartingPosition: '', BatchSize: 10 }
    const made = (await call('boto_lambda.create_event_source_mapping', create)) as { id: string }
    expect(made).toEqual({ created: true, id: expect.any(String) })
    expect(await call('boto_lambda.get_event_source_mapping_ids', ends)).toEqual([made.id])
    expect(await call('boto_lambda.event_source_mapping_exists', { UUID: made.id })).toEqual({ exists: true })
    expect(await call('boto_lambda.update_event_source_mapping', { UUID: made.id, BatchSize: 7 })).toMatchObject({
      updated: true,
      event_source_mapping: { UUID: made.id, BatchSize: 7 },
    })
    expect(await call('boto_lambda.describe_event_source_mapping', ends)).toMatchObject({
      event_source_mapping: { EventSourceArn: QUEUE },
    })
    expect(await call('boto_lambda.delete_event_source_mapping', { UUID: made.id })).toEqual({ deleted: true })
    expect(await call('boto_lambda.describe_event_source_mapping', { UUID: made.id })).toMatchObject({
      error: { message: expect.stringContaining('(ResourceNotFoundException)') },
    })
    expect(await call('boto_lambda.delete_function', { FunctionName: 'lab' })).toEqual({ deleted: true })
    expect(await call('boto_lambda.delete_function', { FunctionName: 'lab' })).toMatchObject({ deleted: false })
  })
})

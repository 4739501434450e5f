// Tables of DynamoDB by Salt's names.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { type AwsError, unlessFault } from '../common/errors.ts'
import { request } from '../common/json-request.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import {
  asDict,
  attributesOf,
  distinct,
  indexOf,
  indexParts,
  keyOf,
  keySchema,
  shownIndex,
  throughput,
} from './indexes.ts'
import { TABLE_KEYS } from './parameters.ts'

const TABLE = arg.text('Name of the table')
const ARN = arg.text('ARN of the table')
const TRIES = 30
const PAUSE_MS = 1000
const MOST_PAGES = 1000

/** Options begin with `dynamodb2.`, as in Salt. */
const tablesOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'dynamodb', login, 'dynamodb2')

const tagsCaller = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'dynamodb', login)

const describe = (caller: AwsCaller, TableName: string): Promise<Dict> =>
  request(caller, 'DescribeTable', { TableName })

const isThere = (caller: AwsCaller, name: string): Promise<boolean> =>
  unlessFault(
    describe(caller, name).then(() => true),
    () => false,
    'ResourceNotFoundException',
  )

/** Check every second whether a table exists, or is gone. Return whether that happens within half a minute. */
async function becomes(caller: AwsCaller, name: string, wanted: boolean): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if ((await isThere(caller, name)) === wanted) return true
    if (attempt >= TRIES) return false
    await sleep(PAUSE_MS)
  }
}

/** Return whether AWS accepts a change of tags; an error is logged. */
const tagged = (ctx: FunctionContext, call: Promise<unknown>): Promise<boolean> =>
  unlessFault(
    call.then(() => true),
    logged(ctx),
  )

const logged =
  (ctx: FunctionContext) =>
  (error: AwsError): false => {
    ctx.log('error', error.message)
    return false
  }

async function allTags(caller: AwsCaller, ResourceArn: string): Promise<Dict> {
  const tags: Dict = new Map()
  let token: Value = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await request(caller, 'ListTagsOfResource', { ResourceArn, NextToken: token })
    const rows = answer.get('Tags') ?? []
    for (const tag of isList(rows) ? rows.filter(isDict) : [])
      tags.set(tag.get('Key') ?? null, tag.get('Value') ?? null)
    token = answer.get('NextToken') ?? null
    if (token === null) return tags
  }
  throw misuse(`The tags of ${ResourceArn} do not come to an end after ${MOST_PAGES} pages`)
}

/** Return new capacities, dicts with `read` and `write`, as parameters. */
function capacity(given: Value, owner: string): Dict {
  if (!isDict(given)) throw misuse(`The throughput of ${owner} must be a dict with 'read' and 'write'`)
  return throughput(given.get('read') ?? null, given.get('write') ?? null, owner)
}

const indexUpdates = (indexes: Dict): Dict[] =>
  [...indexes].map(([IndexName, units]) => {
    const ProvisionedThroughput = capacity(units, `The index ${str(IndexName)}`)
    return asDict({ Update: asDict({ IndexName, ProvisionedThroughput }) })
  })

const create_table = changes({
  doc: 'Create a table, and wait at most half a minute until it exists.',
  example:
    'boto_dynamodb.create_table orders hash_key=id hash_key_data_type=N read_capacity_units=1 write_capacity_units=1',
  args: { table_name: TABLE, ...LOGIN, ...TABLE_KEYS },
  returns: ret.boolean('Whether it exists'),
  run: async (ctx, { table_name, local_indexes, global_indexes, ...given }) => {
    const keys = {
      hash: keyOf(given.hash_key, given.hash_key_data_type),
      range: keyOf(given.range_key, given.range_key_data_type),
    }
    if (keys.hash === undefined) throw misuse(`The table ${table_name} needs hash_key`)
    const locals = (local_indexes ?? []).map((index) => indexOf(index, false))
    const globals = (global_indexes ?? []).map((index) => indexOf(index, true))
    const attributes = [...attributesOf(keys), ...[...locals, ...globals].flatMap((index) => index.attributes)]
    const schemas = (indexes: typeof locals): Value => (indexes.length > 0 ? indexes.map(({ schema }) => schema) : null)
    const caller = tablesOf(ctx, given)
    await request(caller, 'CreateTable', {
      TableName: table_name,
      AttributeDefinitions: distinct(attributes),
      KeySchema: keySchema(keys),
      ProvisionedThroughput: throughput(
        given.read_capacity_units,
        given.write_capacity_units,
        `The table ${table_name}`,
      ),
      LocalSecondaryIndexes: schemas(locals),
      GlobalSecondaryIndexes: schemas(globals),
    })
    return becomes(caller, table_name, true)
  },
})

export default defineModule({
  name: 'boto_dynamodb',
  doc: 'Manage tables of DynamoDB.',
  functions: {
    list_tags_of_resource: reads({
      doc: 'Return the tags of a table.',
      example: 'boto_dynamodb.list_tags_of_resource arn:aws:dynamodb:us-east-1:123456789012:table/orders',
      args: { resource_arn: ARN, ...LOGIN },
      returns: ret.orFalse(ret.dict('The tags')),
      run: (ctx, { resource_arn, ...login }) => unlessFault(allTags(tagsCaller(ctx, login), resource_arn), logged(ctx)),
    }),
    tag_resource: changes({
      doc: 'Set tags of a table. Others stay.',
      example: "boto_dynamodb.tag_resource arn:aws:dynamodb:us-east-1:123456789012:table/orders '{team: shop}'",
      args: { resource_arn: ARN, tags: arg.any('Dict of tags, or list of dicts with `Key` and `Value`'), ...LOGIN },
      returns: ret.boolean('Whether it is done'),
      run: (ctx, { resource_arn: ResourceArn, tags, ...login }) => {
        const Tags = isDict(tags)
          ? [...tags].map(([name, value]) => asDict({ Key: str(name), Value: str(value) }))
          : tags
        return tagged(ctx, request(tagsCaller(ctx, login), 'TagResource', { ResourceArn, Tags }))
      },
    }),
    untag_resource: changes({
      doc: 'Remove tags of a table.',
      example: "boto_dynamodb.untag_resource arn:aws:dynamodb:us-east-1:123456789012:table/orders '[team]'",
      args: { resource_arn: ARN, tag_keys: arg.words('Names of tags'), ...LOGIN },
      returns: ret.boolean('Whether it is done'),
      run: (ctx, { resource_arn: ResourceArn, tag_keys: TagKeys, ...login }) =>
        tagged(ctx, request(tagsCaller(ctx, login), 'UntagResource', { ResourceArn, TagKeys })),
    }),
    create_table,
    exists: reads({
      doc: 'Return whether a table exists.',
      example: 'boto_dynamodb.exists orders region=us-east-1',
      args: { table_name: TABLE, ...LOGIN },
      returns: ret.boolean('Whether it exists'),
      run: (ctx, { table_name, ...login }) => isThere(tablesOf(ctx, login), table_name),
    }),
    delete: changes({
      doc: 'Delete a table, and wait at most half a minute until it is gone.',
      example: 'boto_dynamodb.delete orders region=us-east-1',
      args: { table_name: TABLE, ...LOGIN },
      returns: ret.boolean('Whether it is gone'),
      run: async (ctx, { table_name, ...login }) => {
        const caller = tablesOf(ctx, login)
        await request(caller, 'DeleteTable', { TableName: table_name })
        return becomes(caller, table_name, false)
      },
    }),
    update: changes({
      doc: 'Change the capacity of a table and of its global indexes.',
      example: "boto_dynamodb.update orders throughput='{read: 5, write: 5}'",
      args: {
        table_name: TABLE,
        throughput: arg.dict('`read` and `write`, in capacity units', { optional: true }),
        global_indexes: arg.dict('Dicts with `read` and `write` by names of indexes', { optional: true }),
        ...LOGIN,
      },
      returns: ret.boolean('True'),
      run: async (ctx, { table_name, throughput: units, global_indexes, ...login }) => {
        await request(tablesOf(ctx, login), 'UpdateTable', {
          TableName: table_name,
          ProvisionedThroughput: units && capacity(units, `The table ${table_name}`),
          GlobalSecondaryIndexUpdates: global_indexes && indexUpdates(global_indexes),
        })
        return true
      },
    }),
    create_global_secondary_index: changes({
      doc: 'Create one global index of a table.',
      args: { table_name: TABLE, global_index: arg.dict('What `boto_dynamodb.extract_index` returns'), ...LOGIN },
      returns: ret.boolean('True'),
      run: async (ctx, { table_name, global_index, ...login }) => {
        const { schema, attributes } = indexParts(global_index)
        await request(tablesOf(ctx, login), 'UpdateTable', {
          TableName: table_name,
          AttributeDefinitions: attributes,
          GlobalSecondaryIndexUpdates: [asDict({ Create: schema })],
        })
        return true
      },
    }),
    update_global_secondary_index: changes({
      doc: 'Change the capacity of global indexes of a table.',
      example: "boto_dynamodb.update_global_secondary_index orders '{by_customer: {read: 5, write: 5}}'",
      args: {
        table_name: TABLE,
        global_indexes: arg.dict('Dicts with `read` and `write` by names of indexes'),
        ...LOGIN,
      },
      returns: ret.boolean('True'),
      run: async (ctx, { table_name, global_indexes, ...login }) => {
        await request(tablesOf(ctx, login), 'UpdateTable', {
          TableName: table_name,
          GlobalSecondaryIndexUpdates: indexUpdates(global_indexes),
        })
        return true
      },
    }),
    describe: reads({
      doc: 'Return the description of a table.',
      example: 'boto_dynamodb.describe orders region=us-east-1',
      args: { table_name: TABLE, ...LOGIN },
      returns: ret.dict('`Table`'),
      run: (ctx, { table_name, ...login }) => describe(tablesOf(ctx, login), table_name),
    }),
    extract_index: reads({
      doc: 'Return an index of a state in the words of AWS, with the attributes of its keys.',
      args: {
        index_data: arg.dict('Index with a list of its settings: `name`, `hash_key`, `range_key` and so on'),
        global_index: arg.flag('Whether it is a global index', { default: false }),
      },
      returns: ret.dict('`IndexName`, `KeySchema`, `Projection`, `ProvisionedThroughput` and `AttributeDefinitions`'),
      run: (_ctx, { index_data, global_index }) => shownIndex(indexOf(index_data, global_index)),
    }),
  },
})

// Event source mappings of Lambda: streams and queues whose records call a function.
import { type Dict, misuse, str } from '../../../data/mod.ts'
import { arg, awsEscaped, type Bound, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { orError } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { fieldsOf, lambdaOf, listed, type Reply, send } from './lambda.ts'

const ROOT = '/event-source-mappings'

const FIELDS = [
  'UUID',
  'BatchSize',
  'EventSourceArn',
  'FunctionArn',
  'LastModified',
  'LastProcessingResult',
  'State',
  'StateTransitionReason',
]

const SOURCE = arg.text('ARN of the stream or queue')
const NAME = arg.text('Name of the function')

const ONE = {
  UUID: arg.text('Id of the mapping', { optional: true }),
  EventSourceArn: arg.text('ARN of the stream or queue, in place of the id', { optional: true }),
  FunctionName: arg.text('Name of the function, in place of the id', { optional: true }),
  ...LOGIN,
}

async function idsBetween(
  ctx: FunctionContext,
  login: AwsLogin,
  query: { EventSourceArn: string; FunctionName: string },
): Promise<string[]> {
  const request = { action: 'ListEventSourceMappings', path: `${ROOT}/`, query, list: 'EventSourceMappings' }
  return (await listed(lambdaOf(ctx, login), request)).map((mapping) => str(mapping.get('UUID') ?? ''))
}

/** Return the ids of the matching event source mappings. */
async function idsOf(
  ctx: FunctionContext,
  { UUID, EventSourceArn, FunctionName, ...login }: Bound<typeof ONE>,
): Promise<string[]> {
  const isById = Boolean(UUID)
  if (isById ? EventSourceArn || FunctionName : !EventSourceArn || !FunctionName)
    throw misuse('Either UUID must be specified, or EventSourceArn and FunctionName must be provided.')
  if (UUID) return [UUID]
  return idsBetween(ctx, login, { EventSourceArn: EventSourceArn ?? '', FunctionName: FunctionName ?? '' })
}

const pathOf = (id: string): string => `${ROOT}/${awsEscaped(id)}`

/** Return the first matching mapping; undefined if there is none. */
async function findMapping(ctx: FunctionContext, given: Bound<typeof ONE>): Promise<Dict | undefined> {
  const [id] = await idsOf(ctx, given)
  if (id === undefined) return undefined
  return send(lambdaOf(ctx, given), { action: 'GetEventSourceMapping', method: 'GET', path: pathOf(id) })
}

export const MAPPINGS = {
  create_event_source_mapping: changes({
    doc: 'Let the records of a stream or queue call a function.',
    example:
      'boto_lambda.create_event_source_mapping arn:aws:kinesis:us-east-1:123456789012:stream/s myfunction LATEST',
    args: {
      EventSourceArn: SOURCE,
      FunctionName: NAME,
      StartingPosition: arg.text('Where to begin: `TRIM_HORIZON` or `LATEST`; empty for a queue'),
      Enabled: arg.flag('Whether records call the function', { default: true }),
      BatchSize: arg.count('How many records a call has at most', { default: 100 }),
      ...LOGIN,
    },
    returns: ret.dict('`created` and `id`, or `created` and `error`'),
    run: (ctx, { EventSourceArn, FunctionName, StartingPosition, Enabled, BatchSize, ...login }) => {
      const begin = StartingPosition || null
      const content = { EventSourceArn, FunctionName, Enabled, BatchSize, StartingPosition: begin }
      const request = { action: 'CreateEventSourceMapping', method: 'POST', path: `${ROOT}/`, content } as const
      const made = send(lambdaOf(ctx, login), request)
      return orError(
        made.then((mapping): Reply => ({ created: true, id: mapping.get('UUID') ?? null })),
        { created: false },
      )
    },
  }),
  get_event_source_mapping_ids: reads({
    doc: 'Return the ids of the mappings between a stream or queue and a function.',
    example: 'boto_lambda.get_event_source_mapping_ids arn:aws:sqs:us-east-1:123456789012:q myfunction',
    args: { EventSourceArn: SOURCE, FunctionName: NAME, ...LOGIN },
    returns: ret.any('List of the ids, or a dict with `error`'),
    run: (ctx, { EventSourceArn, FunctionName, ...login }) =>
      orError(idsBetween(ctx, login, { EventSourceArn, FunctionName })),
  }),
  delete_event_source_mapping: changes({
    doc: 'Delete a mapping.',
    example: 'boto_lambda.delete_event_source_mapping 260c423d-e8b5-4443-8d6a-5e91b9ecd0fa',
    args: ONE,
    returns: ret.dict('`deleted`, and `error` where AWS refuses'),
    run: (ctx, given) => {
      const gone = async (): Promise<Reply> => {
        const request = { action: 'DeleteEventSourceMapping', method: 'DELETE' } as const
        for (const id of await idsOf(ctx, given)) await send(lambdaOf(ctx, given), { ...request, path: pathOf(id) })
        return { deleted: true }
      }
      return orError(gone(), { deleted: false })
    },
  }),
  event_source_mapping_exists: reads({
    doc: 'Return whether a mapping exists.',
    example: 'boto_lambda.event_source_mapping_exists 260c423d-e8b5-4443-8d6a-5e91b9ecd0fa',
    args: ONE,
    returns: ret.dict('`exists`, or `error`'),
    run: (ctx, given) => orError(findMapping(ctx, given).then((found): Reply => ({ exists: found !== undefined }))),
  }),
  describe_event_source_mapping: reads({
    doc: 'Return a mapping.',
    example: 'boto_lambda.describe_event_source_mapping 260c423d-e8b5-4443-8d6a-5e91b9ecd0fa',
    args: ONE,
    returns: ret.dict('`event_source_mapping`, which is None where there is none, or `error`'),
    run: (ctx, given) =>
      orError(
        findMapping(ctx, given).then(
          (found): Reply => ({ event_source_mapping: found === undefined ? null : fieldsOf(found, FIELDS) }),
        ),
      ),
  }),
  update_event_source_mapping: changes({
    doc: 'Change a mapping. What is not given stays.',
    example: 'boto_lambda.update_event_source_mapping 260c423d-e8b5-4443-8d6a-5e91b9ecd0fa BatchSize=50',
    args: {
      UUID: arg.text('Id of the mapping'),
      FunctionName: arg.text('Name of the function', { optional: true }),
      Enabled: arg.flag('Whether records call the function', { optional: true }),
      BatchSize: arg.count('How many records a call has at most', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`updated` and `event_source_mapping`, or `updated` and `error`'),
    run: (ctx, { UUID, FunctionName, Enabled, BatchSize, ...login }) => {
      const content = { FunctionName, Enabled, BatchSize }
      const request = { action: 'UpdateEventSourceMapping', method: 'PUT', path: pathOf(UUID), content } as const
      const done = send(lambdaOf(ctx, login), request)
      return orError(
        done.then((mapping): Reply => ({ updated: true, event_source_mapping: fieldsOf(mapping, FIELDS) })),
        { updated: false },
      )
    },
  }),
}

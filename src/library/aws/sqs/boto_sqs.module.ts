// Queues of SQS by Salt's names.
import { type Dict, dumpJson, isDict, loadJson, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { errorText, isFault, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

const NAME = arg.text('Name of the queue')

const MISSING = ['AWS.SimpleQueueService.NonExistentQueue', 'QueueDoesNotExist']

const sqsOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'sqs', login)

type Reply = { result: Value } | { error: Dict }

/** Return the result of a call, or AWS's error. */
const answered = (call: Promise<Value>): Promise<Reply> =>
  unlessFault(
    call.then((result): Reply => ({ result })),
    (error): Reply => ({ error: errorText(error) }),
  )

/** Return attributes as parameters; policies are JSON in a text. */
function attributesOf(given: Value): Parameters[] {
  const attributes = typeof given === 'string' ? loadJson(given) : given
  if (attributes === null) return []
  if (!isDict(attributes)) throw misuse('The attributes of a queue must be a dict')
  return [...attributes].map(([name, value]) => ({
    Name: str(name),
    Value: isDict(value) ? dumpJson(value) : str(value),
  }))
}

async function queueUrl(sqs: AwsCaller, name: string): Promise<string | null> {
  return (await sqs.query('GetQueueUrl', { QueueName: name })).text('GetQueueUrlResult.QueueUrl')
}

export default defineModule({
  name: 'boto_sqs',
  doc: 'Manage queues of SQS.',
  functions: {
    exists: reads({
      doc: 'Return whether a queue exists, as `result`.',
      example: 'boto_sqs.exists orders region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: async (ctx, { name, ...login }) => {
        const found = queueUrl(sqsOf(ctx, login), name).then(() => ({ result: true }))
        return unlessFault(found, (error) =>
          isFault(error, ...MISSING) ? { result: false } : { error: errorText(error) },
        )
      },
    }),
    create: changes({
      doc: 'Create a queue.',
      example: 'boto_sqs.create orders region=us-east-1',
      args: { name: NAME, attributes: arg.any('Dict of attributes, or JSON of one', { optional: true }), ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { name, attributes, ...login }) => {
        const parameters = { QueueName: name, Attribute: attributesOf(attributes) }
        return answered(
          sqsOf(ctx, login)
            .query('CreateQueue', parameters)
            .then(() => true),
        )
      },
    }),
    delete: changes({
      doc: 'Delete a queue.',
      example: 'boto_sqs.delete orders region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { name, ...login }) => {
        const sqs = sqsOf(ctx, login)
        return answered(
          queueUrl(sqs, name).then(async (url) => {
            await sqs.query('DeleteQueue', { QueueUrl: url })
            return true
          }),
        )
      },
    }),
    list: reads({
      doc: 'Return the names of all queues.',
      example: 'boto_sqs.list region=us-east-1',
      args: { prefix: arg.text('What names begin with', { default: '' }), ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { prefix, ...login }) => {
        const parameters = { QueueNamePrefix: prefix || null }
        return answered(
          sqsOf(ctx, login)
            .query('ListQueues', parameters)
            .then((answer) => {
              const urls = answer.at('ListQueuesResult')?.all('QueueUrl') ?? []
              return urls.map((url) => (url.content() ?? '').split('/').pop()!)
            }),
        )
      },
    }),
    get_attributes: reads({
      doc: 'Return all attributes of a queue.',
      example: 'boto_sqs.get_attributes orders',
      args: { name: NAME, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { name, ...login }) => {
        const sqs = sqsOf(ctx, login)
        return answered(
          queueUrl(sqs, name).then(async (url) => {
            const answer = await sqs.query('GetQueueAttributes', { QueueUrl: url, AttributeName: ['All'] })
            const rows = answer.at('GetQueueAttributesResult')?.all('Attribute') ?? []
            return new Map(rows.map((row): [Value, Value] => [row.text('Name'), row.text('Value')]))
          }),
        )
      },
    }),
    set_attributes: changes({
      doc: 'Set attributes of a queue.',
      example: "boto_sqs.set_attributes orders '{ReceiveMessageWaitTimeSeconds: 20}' region=us-east-1",
      args: { name: NAME, attributes: arg.any('Dict of attributes, or JSON of one'), ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { name, attributes, ...login }) => {
        const sqs = sqsOf(ctx, login)
        const Attribute = attributesOf(attributes)
        return answered(
          queueUrl(sqs, name).then(async (url) => {
            await sqs.query('SetQueueAttributes', { QueueUrl: url, Attribute })
            return true
          }),
        )
      },
    }),
  },
})

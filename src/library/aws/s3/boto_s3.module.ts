// Objects of S3 by the names of boto3.
import { type Dict, failure, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { errorText, unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { headersOf, metadataOf, sendObject } from './object.ts'

/** Size limit of an upload in one request, which a minion holds in memory. */
const LARGEST = 1024 ** 3

const NAME = arg.text('Bucket and key with a slash between them')
const EXTRA = arg.dict('Further arguments of boto3, such as `ContentType` or `Metadata`', {
  optional: true,
  secret: true,
})

export default defineModule({
  name: 'boto_s3',
  doc: 'Manage objects of S3.',
  functions: {
    get_object_metadata: reads({
      doc: 'Return the metadata of an object.',
      example: 'boto_s3.get_object_metadata my_bucket/path/to/object',
      args: { name: NAME, extra_args: EXTRA, ...LOGIN },
      returns: ret.dict('`result`, None where there is no such object, or `error`'),
      run: (ctx, { name, extra_args, ...login }) => {
        const headers = headersOf(extra_args ?? new Map())
        const found = sendObject(ctx, name, login, { action: 'HeadObject', method: 'HEAD', headers })
        return unlessFault<Dict, Dict>(
          found.then((answer) => new Map<Value, Value>([['result', metadataOf(answer)]])),
          (error) =>
            error.fault.status === 404 ? new Map([['result', null]]) : new Map([['error', errorText(error)]]),
        )
      },
    }),
    upload_file: changes({
      doc: 'Upload a file of at most 1 GiB as an object.',
      example: 'boto_s3.upload_file /path/to/local/file my_bucket/path/to/object',
      args: { source: arg.text('Path of the file on the minion'), name: NAME, extra_args: EXTRA, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: async (ctx, { source, name, extra_args, ...login }) => {
        const headers = headersOf(extra_args ?? new Map())
        const size = (await ctx.host.stat(source))?.size ?? 0
        if (size > LARGEST) throw failure(`${source} is larger than ${LARGEST} bytes`)
        const body = await ctx.host.read(source)
        const sent = sendObject(ctx, name, login, { action: 'PutObject', method: 'PUT', headers, body })
        return unlessFault<Dict, Dict>(
          sent.then(() => new Map([['result', true]])),
          (error) => new Map([['error', errorText(error)]]),
        )
      },
    }),
  },
})

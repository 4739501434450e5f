// Objects of S3 as states. A hash of the content is kept in the metadata of the object, so that content and metadata are compared at once.
import { createHash, getHashes } from 'node:crypto'
import {
  type Dict,
  deepCopy,
  equals,
  isDict,
  splitLines,
  str,
  unifiedDiff,
  update,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  dumpYaml,
  ensure,
  failed,
  foreseen,
  option,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { LOGIN } from '../common/login.ts'
import { asking, errorOf } from '../common/state-calls.ts'
import { FOR_METADATA, STORED } from './object.ts'

const ask = asking('boto_s3')

const HASH = 'salt_managed_content_hash'

/** Return the entries of a dict whose names are in a list. */
const only = (dict: Dict, names: readonly string[]): Dict =>
  new Map([...dict].filter(([key]) => names.includes(str(key))))

interface Gap {
  extra: Dict
  action: 'create' | 'update'
  diff: string
}

async function diffOf(old: Dict | null, now: Dict): Promise<string> {
  const lines = async (value: Value): Promise<string[]> =>
    splitLines(await dumpYaml(value, { default_flow_style: false }), true)
  return unifiedDiff(await lines(old), await lines(now)).join('')
}

export default defineState({
  name: 'boto_s3',
  doc: 'Manage objects of S3.',
  functions: {
    object_present: state({
      doc: 'Ensure that an object has the content of a file, and metadata.',
      args: {
        name: arg.text('Bucket and key with a slash between them'),
        source: arg.text('Path of the file on the minion'),
        hash_type: arg.text('Hash that contents are compared by; the option `hash_type` unless given', {
          optional: true,
        }),
        extra_args: arg.dict('Further arguments of boto3, such as `ContentType` or `Metadata`', {
          default: new Map(),
          secret: true,
        }),
        extra_args_from_pillar: arg.text('Option or pillar with more of them', {
          default: 'boto_s3_object_extra_args',
        }),
        ...LOGIN,
      },
      run: (ctx, { name, source, hash_type, extra_args, extra_args_from_pillar, ...login }) =>
        ensure<Gap>(ctx, {
          name,
          look: async () => {
            const kind = hash_type ?? option(ctx.opts, 'hash_type')
            if (!getHashes().includes(kind)) return failed(`Could not hash local file ${source}: no hash '${kind}'`)
            if ((await ctx.host.stat(source))?.type !== 'file')
              return failed(`Could not read local file ${source}: there is no such file`)
            const digest = createHash(kind)
              .update(await ctx.host.read(source))
              .digest('hex')
            const common = ctx.pillar.get(extra_args_from_pillar) ?? ctx.opts.get(extra_args_from_pillar) ?? null
            const extra: Dict = isDict(common) ? (deepCopy(common) as Dict) : new Map()
            update(extra, deepCopy(extra_args) as Dict)
            const given = extra.get('Metadata') ?? null
            const metadata: Dict = isDict(given) ? given : new Map()
            if (metadata.has(HASH) && metadata.get(HASH) !== digest)
              return failed(`Salt uses the ${HASH} metadata key internally: do not pass it to boto_s3.object_present`)
            extra.set('Metadata', metadata.set(HASH, digest))
            const answer = await ask(ctx, 'get_object_metadata', login, { name, extra_args: only(extra, FOR_METADATA) })
            if (answer.has('error')) return failed(`Failed to check if S3 object exists: ${errorOf(answer)}.`)
            const wanted = only(extra, STORED)
            const found = answer.get('result') ?? null
            const now = isDict(found) ? only(found, [...wanted.keys()].map(str)) : null
            if (now && equals(now, wanted)) return settled(`S3 object ${name} is present.`)
            return { extra, action: now ? 'update' : 'create', diff: await diffOf(now, wanted) }
          },
          foresee: ({ action, diff }) =>
            foreseen(`S3 object ${name} set to be ${action}d.\nChanges:\n${diff}`, { diff }),
          act: async ({ extra, action, diff }) => {
            const answer = await ask(ctx, 'upload_file', login, { source, name, extra_args: extra })
            if (answer.has('error')) return failed(`Failed to ${action} S3 object: ${errorOf(answer)}.`)
            return changed(`S3 object ${name} ${action}d.\nChanges:\n${diff}`, { diff })
          },
        }),
    }),
  },
})

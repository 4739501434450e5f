// A file whose content is in Base64.
import { type Dict, dictFrom, failure, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, begin } from './answer.ts'

const decodeArgs = {
  name: arg.string('Path of the file'),
  encoded_data: arg.text('Content in Base64', { optional: true }),
  contents_pillar: arg.text('Pillar key of the content in Base64', { optional: true }),
  encoding_type: arg.text('Encoding: `base64`', { default: 'base64' }),
  checksum: arg.text('Hash type that the content is compared by', { default: 'md5' }),
}

type Decoding = Bound<typeof decodeArgs>

async function contentOf(ctx: StateContext, { encoded_data, contents_pillar }: Decoding): Promise<Value> {
  if (!encoded_data && !contents_pillar) {
    throw failure("Specify either the 'encoded_data' or 'contents_pillar' argument.")
  }
  if (encoded_data && contents_pillar) {
    throw failure("Specify only one 'encoded_data' or 'contents_pillar' argument.")
  }
  if (encoded_data) return encoded_data
  const content = await ctx.call('pillar.get', [contents_pillar, false], { unmask: false })
  if (content === false) throw failure('Pillar data not found.')
  return content
}

async function write(ctx: StateContext, options: Decoding): Promise<Answer> {
  const { name, checksum } = options
  const answer: Answer = { ...begin(name), result: false }
  const content = await contentOf(ctx, options)
  const sum = (): Promise<Value> => Promise.resolve(ctx.call('hashutil.digest_file', [name, checksum]))
  let changes: Dict = new Map()
  if (truthy(await ctx.call('file.file_exists', [name]))) {
    const text = await ctx.call('hashutil.base64_decodestring', [content])
    const wanted = await ctx.call('hashutil.digest', [text, checksum])
    const found = await sum()
    if (wanted === found) return { ...answer, result: true, comment: 'File is in the correct state.' }
    changes = dictFrom({ old: found, new: wanted })
  }
  if (ctx.test) return { ...answer, changes, result: null, comment: 'File is set to be updated.' }
  const result = truthy(await ctx.call('hashutil.base64_decodefile', [content, name]))
  if (changes.size === 0) changes = dictFrom({ old: null, new: await sum() })
  return { ...answer, changes, result, comment: 'File was updated.' }
}

export const decode = state({
  doc: 'Ensure that a file has content that is given in Base64.',
  args: decodeArgs,
  run: write,
})

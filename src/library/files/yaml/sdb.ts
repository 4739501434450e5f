// `yaml`: values of YAML files, which are merged in their order.
import { type Dict, decodeBytes, isDict, type MergeOptions, merge, PyError, str, traverse } from '../../../data/mod.ts'
import { arg, defineSdb, dumpYaml, loadYaml, type SdbContext } from '../../../sdk/mod.ts'

async function merged(ctx: SdbContext, files: readonly string[], options: MergeOptions): Promise<Dict> {
  let all: Dict = new Map()
  for (const file of files) {
    try {
      const content = await loadYaml(decodeBytes(await ctx.host.read(file)))
      if (!isDict(content)) throw new PyError('TypeError', 'the file holds no mapping')
      all = merge(all, content, options) as Dict
    } catch (error) {
      if (error instanceof PyError) ctx.log('error', `Error deserializing sdb file '${file}': ${error.message}`)
      else ctx.log('error', `File '${file}' not found `)
    }
  }
  return all
}

const mergeOptions = (given: Dict): MergeOptions => ({
  ...(given.has('strategy') && { strategy: str(given.get('strategy')!) }),
  ...(given.has('merge_lists') && { mergeLists: given.get('merge_lists') === true }),
})

export default defineSdb({
  name: 'yaml',
  doc: 'Values of YAML files. Colons in a key lead into nested values: `sdb://profile/a:b`.',
  args: {
    files: arg.list('Paths of the files, merged in this order', { default: [] }),
    merge: arg.dict('How files are merged: `strategy` and `merge_lists`', { default: new Map() }),
    gpg: arg.flag('Whether values are decrypted with GPG', { default: false }),
  },
  get: async (ctx, key, settings) => {
    if (settings.files.length === 0) ctx.log('error', "A profile of the sdb driver 'yaml' names no 'files'")
    const all = await merged(ctx, settings.files.map(str), mergeOptions(settings.merge))
    if (!settings.gpg) return traverse(all, key, { default: null })
    const data = await ctx.render({ text: await dumpYaml(all), renderer: 'yaml|gpg', saltenv: 'base' })
    return traverse(data, key, { default: null })
  },
})

// `hiera`: the output of the program hiera for a minion, whose text grains are its variables.
import { decodeBytes, failure, isDict, shlexSplit, str } from '../../../data/mod.ts'
import { arg, defineExtPillar, loadYaml } from '../../../sdk/mod.ts'

const SECONDS = 60

export default defineExtPillar({
  name: 'hiera',
  doc: 'The YAML that the program hiera prints; grains that are texts are its variables.',
  args: { conf: arg.text('Configuration file of hiera, and further arguments') },
  run: async (ctx, { conf }) => {
    // a minion chooses its grains: `--config` and its like must not become options
    const variables = [...ctx.grains].flatMap(([key, value]) =>
      typeof value === 'string' && !str(key).startsWith('-') ? [`${str(key)}=${value}`] : [],
    )
    const argv = ['hiera', '-c', ...shlexSplit(conf), ...variables]
    const { retcode, stdout, stderr } = await ctx.host.run({ argv, timeout: SECONDS })
    if (retcode !== 0) throw failure(`hiera -c ${conf} ended with ${retcode}: ${decodeBytes(stderr).trim()}`)
    const data = await loadYaml(decodeBytes(stdout))
    if (isDict(data)) return data
    ctx.log('critical', `Hiera YAML data failed to parse from conf ${conf}`)
    return new Map()
  },
})

// `ext_nodes`: a program that is called with the minion's id, and prints YAML with `classes` and `environment`.
import { decodeBytes, isDict, isList, SaltError, shlexSplit } from '../../../data/mod.ts'
import { arg, defineTops, loadYaml } from '../../../sdk/mod.ts'

/** Seconds that the program may take. */
const SECONDS = 60

export default defineTops({
  name: 'ext_nodes',
  doc: "The classes that a program prints for a minion: YAML with `classes` and `environment`. The minion's id is its last argument.",
  args: { command: arg.text('Program and its arguments') },
  run: async ({ host, minionId }, { command }) => {
    const argv = [...shlexSplit(command), minionId]
    const { retcode, stdout, stderr } = await host.run({ argv, timeout: SECONDS })
    if (retcode !== 0) {
      throw new SaltError('CommandExecutionError', `${argv[0]} ended with ${retcode}: ${decodeBytes(stderr)}`)
    }
    const node = await loadYaml(decodeBytes(stdout))
    if (!isDict(node)) return new Map()
    const classes = node.get('classes') ?? null
    const names = isDict(classes) ? [...classes.keys()] : isList(classes) ? [...classes] : undefined
    return names === undefined ? new Map() : new Map([[node.get('environment') ?? 'base', names]])
  },
})

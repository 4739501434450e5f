// The configured remotes of svnfs and hgfs: an address, or an address with options.
import { type Log, withoutLogin } from '../../base/mod.ts'
import { type Dict, isDict, isList, SaltError, str, type Value } from '../../data/mod.ts'

export interface ConfiguredTree {
  url: string
  shownId: string
  settings: ReadonlyMap<string, string>
}

export interface TreeRules {
  /** `svn` or `hg`, which the backend is called by in Salt's words. */
  program: string
  /** The options that a remote may have, with the values for all remotes. */
  globals: ReadonlyMap<string, string>
}

export function configuredTrees(given: Value, rules: TreeRules, log: Log): ConfiguredTree[] {
  const fail = (text: string): never => {
    log('error', text)
    throw new SaltError('FileserverConfigError', `Failed to load ${rules.program} fileserver backend`)
  }
  return (isList(given) ? given : []).map((remote) => {
    const [url, own] = isDict(remote) ? ([...remote][0] ?? [null, null]) : [remote, undefined]
    if (typeof url !== 'string')
      return fail(
        `Invalid ${rules.program}fs remote ${str(url)}. Remotes must be strings, you may need to enclose the URL in quotes`,
      )
    const shownId = withoutLogin(url)
    const settings = new Map(rules.globals)
    const parameters = own === undefined ? undefined : packed(own)
    if (parameters?.size === 0)
      fail(
        `Invalid per-remote configuration for ${rules.program}fs remote ${shownId}. If no per-remote parameters are being specified, there may be a trailing colon after the URL, which should be removed. Check the master configuration file.`,
      )
    const wrong = [...(parameters?.keys() ?? [])].filter((name) => !rules.globals.has(name))
    if (wrong.length > 0)
      fail(
        `Invalid configuration parameter '${wrong.join("', '")}' for remote ${shownId}. Valid parameters are: ${[...rules.globals.keys()].join(', ')}. See the documentation for further information.`,
      )
    for (const [name, value] of parameters ?? []) settings.set(name, value)
    return { url, shownId, settings }
  })
}

/** Merge a list of one-key mappings into one mapping. */
function packed(own: Value): Map<string, string> {
  const dicts: Dict[] = isDict(own) ? [own] : isList(own) ? own.filter(isDict) : []
  return new Map(dicts.flatMap((dict) => [...dict].map(([name, value]): [string, string] => [str(name), str(value)])))
}

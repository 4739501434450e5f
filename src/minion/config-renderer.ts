// Renders configuration files that are templates. Templates see grains, the options of the other files, and all
// execution functions of this machine, but no pillar.
import { BrineError, silentLog } from '../base/mod.ts'
import { ConfigError, type ConfigRenderer, noteTemplateSecrets, option, withoutTemplateSecrets } from '../config/mod.ts'
import { type Dict, secretTexts, str, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import type { Registry } from '../loader/mod.ts'
import type { FunctionSource } from '../render/mod.ts'
import { minionFunctions } from './functions.ts'

export const renderConfig: ConfigRenderer = async ({ path, text, pipe }, opts) => {
  try {
    const functions = await functionsFor(opts)
    const { renderText } = await import('../render/mod.ts')
    return await renderText(text, {
      opts,
      grains: opts.get('grains') as Dict,
      pillar: new Map(),
      functions: noting(functions),
      renderer: pipe,
      asFile: true,
      strict: true,
      positions: true,
      path,
    })
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw failure(path, error)
  }
}

/** The log is off: lines of functions, such as commands, would show secrets before these are known. */
async function functionsFor(opts: Dict): Promise<Registry> {
  const host = new LocalHost({ cache: option(opts, 'cachedir') })
  const { collectGrains } = await import('../grains/mod.ts')
  const grains = await collectGrains({ opts, host, log: silentLog })
  opts.set('grains', grains).set('pillar', new Map())
  const more = { masked: false }
  const functions = minionFunctions({ opts, grains, pillar: new Map(), host, log: silentLog, more })
  await functions.refresh()
  return functions
}

/** Modules whose results are facts about the machine, not secrets. */
const NO_SECRETS = new Set(['grains', 'network', 'test'])

/** Record the results of functions. */
function noting(functions: Registry): FunctionSource {
  const note = (name: string, value: Value): Value => {
    if (NO_SECRETS.has(name.slice(0, name.indexOf('.')))) return value
    noteTemplateSecrets(secretTexts(value, true))
    return value
  }
  return {
    has: (name) => functions.has(name),
    hasModule: (name) => functions.hasModule(name),
    names: () => functions.names(),
    call: async (name, args, kwargs) => note(name, await functions.call(name, args, kwargs)),
  }
}

/** Return the error as one line; it may quote rendered text. */
function failure(path: string, error: BrineError): ConfigError {
  const file = error.at?.file ?? path
  const place = error.at === undefined ? file : `${file}, line ${error.at.line}`
  const reason = [error.reason.trimEnd(), ...(error.hint === undefined ? [] : [error.hint])].join('. ')
  const shown = str(withoutTemplateSecrets(reason))
  return new ConfigError('ConfigTemplateFailed', `Error rendering configuration file: ${place}: ${shown}`, {
    cause: error,
    at: { ...error.at, file, line: error.at?.line ?? 1 },
  })
}

// `stack` (PillarStack): configuration files, rendered as templates, list YAML files, which are rendered and merged in
// order. Templates see the data so far as `stack`.
import { dirname, relative } from 'node:path/posix'
import { BrineError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import {
  type Dict,
  dictFrom,
  dictGet,
  PyError,
  splitLines,
  str,
  textOf,
  traverse,
  truthy,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { isPlainEnv } from '../../fileserver/mod.ts'
import type { Host } from '../../host/mod.ts'
import { HostFunction } from '../../jinja/mod.ts'
import {
  arg,
  type Bound,
  defineExtPillar,
  type ExtPillarContext,
  type PlainTemplates,
  plainTemplates,
} from '../../sdk/mod.ts'
import { load } from '../../yaml/mod.ts'
import { globbedPaths } from './glob.ts'
import { mergeDict } from './stack-merge.ts'

const ARGS = {
  files: arg.rest('Configuration files'),
  choices: arg.open('Files chosen by a value: `pillar:env: {dev: /dev.cfg}`'),
}

export const stack = defineExtPillar({
  name: 'stack',
  doc: 'PillarStack: templates of configuration files list YAML files, which are rendered and merged.',
  args: ARGS,
  run: async (ctx, args, pillar) => {
    let merged: Dict = new Map()
    for (const config of configFiles(ctx, args, pillar)) {
      if ((await ctx.host.stat(config))?.type !== 'file') {
        ctx.log('info', `Ignoring pillar stack cfg "${config}": file does not exist`)
        continue
      }
      merged = await processConfig(ctx, config, merged, pillar)
    }
    return merged
  },
})

/**
 * Return the configuration files that are named directly, then those chosen by a value: `pillar:env: {dev: /dev.cfg}`.
 */
function configFiles({ opts, grains }: ExtPillarContext, args: Bound<typeof ARGS>, pillar: Dict): string[] {
  const pillarenv =
    [opts.get('pillarenv'), opts.get('saltenv')].find((env) => env !== undefined && truthy(env)) ?? 'base'
  const data = new Map<string, Dict>([
    ['pillar', pillar],
    ['grains', grains],
    ['opts', opts],
  ])
  const files = args.files.map(str)
  for (const [matcher, choices] of args.choices) {
    const colon = matcher.indexOf(':')
    if (colon < 0) throw valueError('not enough values to unpack (expected 2, got 1)')
    const where = data.get(matcher.slice(0, colon))
    if (where === undefined) {
      const names = `dict_keys([${[...data.keys()].map((name) => `'${name}'`).join(', ')}])`
      throw new PyError('Exception', `Unknown traverse option "${matcher.slice(0, colon)}", should be one of ${names}`)
    }
    const value = traverse(where, matcher.slice(colon + 1), { default: null })
    const chosen = choices instanceof Map ? (choiceOf(choices, value, pillarenv) ?? []) : []
    for (const file of Array.isArray(chosen) ? chosen : [chosen]) {
      // the environment comes from the minion, and must not lead elsewhere
      if (str(file).includes('__env__') && !isPlainEnv(str(pillarenv))) continue
      files.push(str(file).replaceAll('__env__', str(pillarenv)))
    }
  }
  return files
}

function choiceOf(choices: Dict, value: Value, pillarenv: Value): Value | undefined {
  const [last] = [...choices].reverse().filter(([key]) => (key === '__env__' ? pillarenv : key) === value)
  return last?.[1] ?? dictGet(choices, value)
}

async function processConfig(ctx: ExtPillarContext, config: string, start: Dict, pillar: Dict): Promise<Dict> {
  const folder = dirname(config)
  const templates = await stackTemplates(ctx, config, pillar)
  let merged = start
  for (const item of listedIn(await templates.render(config, { stack: merged }))) {
    const line = textOf(item)
    if (line === undefined) throw new PyError('AttributeError', `'${typeName(item)}' object has no attribute 'strip'`)
    if (line.trim() === '') continue
    const paths = await globbedPaths(ctx.host, line.startsWith('/') ? line : `${folder}/${line}`)
    if (paths.length === 0) {
      ctx.log('info', `Ignoring pillar stack template "${line}": can't find from root dir "${folder}"`)
    }
    for (const path of paths.sort()) {
      const document = await readDocument(templates, folder, path, merged)
      if (document instanceof Map) merged = mergeDict(merged, document)
    }
  }
  return merged
}

/** The configuration may be a YAML list as well as lines. */
function listedIn(text: string): Value[] {
  try {
    const value = load(text)
    if (Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
  }
  return splitLines(text)
}

async function readDocument(templates: Templates, folder: string, path: string, stack: Dict): Promise<Value> {
  let text: string
  try {
    const name = relative(folder, path)
    // templates have no names above the folder of the configuration
    const isTemplate = !name.split('/').includes('..') && (await templates.host.stat(path))?.type === 'file'
    if (!isTemplate) throw new PyError('Exception', name)
    text = await templates.render(path, { stack, ymlpath: path })
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new PyError('Exception', `Stack pillar template render error in ${path}:\n"${error.message}"`)
  }
  try {
    return load(text)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new PyError('Exception', `Stack pillar yaml parsing error in ${path}:\n${error.message}\n${text}`)
  }
}

interface Templates {
  render: PlainTemplates['render']
  host: Host
}

/** Plain Jinja: undefined values are empty, and templates come from the folder of the configuration. */
async function stackTemplates(ctx: ExtPillarContext, config: string, pillar: Dict): Promise<Templates> {
  const { opts, grains, minionId, functions, host } = ctx
  const tools: Dict = dictFrom({ traverse: new HostFunction('traverse_dict_and_list', traverseCall), cfg_path: config })
  const globals = {
    __opts__: opts,
    __grains__: grains,
    __stack__: tools,
    minion_id: minionId,
    pillar,
    pillarenv: option(opts, 'pillarenv'),
  }
  const { render } = await plainTemplates({ host, opts, folder: dirname(config), globals, functions })
  return { render, host }
}

const traverseCall = (args: readonly Value[], kwargs: ReadonlyMap<string, Value>): Value => {
  const [data = null, key = null, fallback = null, delimiter = ':'] = args
  return traverse(kwargs.get('data') ?? data, kwargs.get('key') ?? key, {
    default: kwargs.get('default') ?? fallback,
    delimiter: str(kwargs.get('delimiter') ?? delimiter),
  })
}

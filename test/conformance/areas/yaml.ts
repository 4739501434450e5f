// YAML: what Salt's renderer, loader and dumper answer (cases/yaml/README.md).
import { BrineError } from '../../../src/base/mod.ts'
import type { Dict, Value } from '../../../src/data/mod.ts'
import { type DumpOptions, dump, load, renderYaml, YamlError } from '../../../src/yaml/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { decodeTyped } from '../typed-json.ts'

function answer(testCase: Case): Value {
  switch (testCase['op']) {
    case 'render':
      return renderYaml(testCase['yaml'] as string)
    case 'load':
      return load(testCase['yaml'] as string)
    case 'dump':
      return dumped(testCase)
    default:
      throw new Error(`YAML cases have no op '${String(testCase['op'])}'`)
  }
}

function dumped(testCase: Case): string {
  const value = decodeTyped(testCase['value'] as Json, { ordered: testCase['ordered'] === true })
  if (testCase['shared'] === true) shareFirst(value as Dict)
  const { tags, ...kwargs } = (testCase['kwargs'] ?? {}) as DumpOptions & { tags?: Record<string, string> }
  const options: DumpOptions = { ...kwargs, tags: tags ? new Map(Object.entries(tags)) : null }
  if (typeof testCase['dumper'] === 'string') options.dumper = testCase['dumper'] as NonNullable<DumpOptions['dumper']>
  return dump(value, options)
}

/** `again` becomes the very same object as the first value. */
function shareFirst(dict: Dict): void {
  for (const first of dict.values()) {
    dict.set('again', first)
    return
  }
}

const yaml: Area = {
  name: 'yaml',
  run(testCase: Case): Outcome {
    try {
      return { expect: answer(testCase) }
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      // which of CPython's frames met the limit is an accident, so its text was not recorded
      const message = error.code === 'RecursionError' ? '' : error.message
      return { error: { class: error.code, message, line: error instanceof YamlError ? error.line : undefined } }
    }
  },
}

export default yaml

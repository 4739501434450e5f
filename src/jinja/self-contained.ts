// Whether a template computes its text from data alone: then it looks at no machine and reads no other template.
import { children, type Node } from './ast.ts'
import { builtinFilters } from './filters/mod.ts'
import { DEFAULT_DELIMITERS } from './options.ts'
import { parse } from './parser.ts'
import { saltFilters, saltTests } from './salt/mod.ts'
import { builtinTests } from './tests/mod.ts'

/** Statements that load another template. */
const LOADING = new Set<Node['type']>(['Extends', 'FromImport', 'Import', 'Include'])

/** Variables through which functions of the machine can be called. */
const MACHINE = new Set(['salt', 'show_full_context'])

/** Return whether a template calls no function of the machine, in any of its branches. */
export function isSelfContained(source: string): boolean {
  try {
    return parse(source, DEFAULT_DELIMITERS).body.every(isPlain)
  } catch {
    // the renderer reports the error
    return false
  }
}

function isPlain(node: Node): boolean {
  if (LOADING.has(node.type)) return false
  if (node.type === 'Name' && MACHINE.has(node.name)) return false
  if (node.type === 'Filter' && !builtinFilters.has(node.name) && !saltFilters.has(node.name)) return false
  if (node.type === 'Test' && !builtinTests.has(node.name) && !saltTests.has(node.name)) return false
  return children(node).every(isPlain)
}

// Documentation of functions as text, from their declarations.
import type { Registry } from '../loader/mod.ts'
import type { FunctionDeclaration } from '../sdk/mod.ts'

/** Return the documentation of a function: purpose, arguments and usage. */
export function docText({ doc, args, examples = [] }: FunctionDeclaration): string {
  const lines = ['', `    ${doc}`, '']
  const parameters = Object.entries(args).filter(([, parameter]) => parameter.doc !== '')
  if (parameters.length === 0 && examples.length === 0) return doc
  for (const [name, parameter] of parameters) lines.push(`    ${name}`, `        ${parameter.doc}`, '')
  if (examples.length > 0) lines.push('    CLI Example:', '', ...examples.map((example) => `        ${example}`), '')
  return lines.join('\n')
}

/** Return the documentation of all functions whose names have this prefix. */
export async function docsFor(functions: Registry, prefix: string): Promise<Map<string, string>> {
  const docs = new Map<string, string>()
  for (const full of [...functions.names()].filter((name) => name.startsWith(prefix)).sort()) {
    if (!(await functions.serves(full))) continue
    const dot = full.indexOf('.')
    const declaration = (await functions.module(full.slice(0, dot))).functions[full.slice(dot + 1)]
    if (declaration) docs.set(full, docText(declaration))
  }
  return docs
}

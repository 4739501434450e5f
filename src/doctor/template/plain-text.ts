// The text of a template without its tags, line by line, with all branches at once.
import { children, DEFAULT_DELIMITERS, type Delimiters, type Node, parseTemplate } from '../../jinja/mod.ts'

/** Placeholder for the output of an expression; no name contains it. */
const OUTPUT = '\ue000'

/** The lines of the source with tags removed and outputs replaced. Throws for a template that cannot be parsed. */
export function plainLines(source: string, delimiters: Partial<Delimiters> = {}): string[] {
  const lines: string[] = source.split('\n').map(() => '')
  const visit = (node: Node): void => {
    if (node.type === 'TemplateData') {
      for (const [offset, text] of node.text.split('\n').entries()) put(node.line + offset, text)
      return
    }
    if (node.type === 'Output') {
      for (const one of node.nodes)
        if (one.type === 'TemplateData') visit(one)
        else put(one.line, OUTPUT)
      return
    }
    for (const child of children(node)) visit(child)
  }
  const put = (line: number, text: string): void => {
    if (line <= lines.length) lines[line - 1] += text
  }
  for (const node of parseTemplate(source, { ...DEFAULT_DELIMITERS, ...delimiters }).body) visit(node)
  return lines
}

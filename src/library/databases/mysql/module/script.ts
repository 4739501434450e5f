// Splits a file of SQL into statements: at semicolons outside quotes, or at the text in `DELIMITER`; comments are
// removed, except those with code for the server.

const COMMENT = /^(?:--(?=\s|$)[^\n]*|#[^\n]*|\/\*(?![!M+])[\s\S]*?\*\/)/
const QUOTED = /^(?:'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|\/\*[\s\S]*?\*\/)/
const DELIMITER = /^delimiter[ \t]+(\S+)[ \t]*(?:\n|$)/i

export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let delimiter = ';'
  let statement = ''
  let rest = script.replaceAll('\r\n', '\n')
  const finish = (): void => {
    if (statement.trim() !== '') statements.push(statement.trim())
    statement = ''
  }
  while (rest !== '') {
    const named = statement.trim() === '' ? DELIMITER.exec(rest) : null
    const piece = named?.[0] ?? COMMENT.exec(rest)?.[0] ?? QUOTED.exec(rest)?.[0]
    if (named) delimiter = named[1]!
    else if (piece !== undefined) statement += COMMENT.test(piece) ? ' ' : piece
    else if (rest.startsWith(delimiter)) finish()
    else statement += rest[0]
    rest = rest.slice(piece?.length ?? (rest.startsWith(delimiter) ? delimiter.length : 1))
  }
  finish()
  return statements
}

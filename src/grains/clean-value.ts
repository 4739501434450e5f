// Return a firmware field; null for placeholders such as "To be filled by O.E.M.".

export function cleanValue(name: string, value: string): string | null {
  if (value === '' || /^none/i.test(value)) return null
  if (name.includes('uuid')) return isUuid(value) ? value : null
  if (/serial|part|version/.test(name)) {
    const isFiller =
      /^0+$/.test(value) ||
      /^0?1234567/.test(value) ||
      /sernum|part[_-]?number|specified|filled|applicable/i.test(value)
    return isFiller ? null : value
  }
  if (/asset|manufacturer/.test(name)) {
    return /manufacturer|to be filled|available|asset|^no(?:ne|t)/i.test(value) ? null : value
  }
  const isFiller =
    /to be filled/i.test(value) ||
    /un(?:known|specified)|no(?:t|ne)? (?:asset|provided|defined|available|present|specified)/i.test(value)
  return isFiller ? null : value
}

/** Whether Python's UUID class accepts a text: 32 hexadecimal digits, with optional braces, dashes and prefix. */
function isUuid(value: string): boolean {
  const digits = value
    .replace('urn:', '')
    .replace('uuid:', '')
    .replaceAll(/^[{}]+|[{}]+$/g, '')
    .replaceAll('-', '')
  return /^[0-9a-f]{32}$/i.test(digits)
}

// Writes elements as Python's libraries do: in one line of ASCII (ElementTree) or indented (minidom).
import type { XmlElement } from './element.ts'

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function escapeAttribute(text: string): string {
  return escapeMarkup(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#09;')
}

function toUnicodeLine({ name, attributes, children }: XmlElement): string {
  let line = `<${name}`
  for (const [key, value] of attributes) line += ` ${key}="${escapeAttribute(value)}"`
  const inner = children.map((child) => (typeof child === 'string' ? escapeMarkup(child) : toUnicodeLine(child)))
  const content = inner.join('')
  return content === '' ? `${line} />` : `${line}>${content}</${name}>`
}

/** `ElementTree.tostring`: characters outside ASCII become character references, also in names. */
export function xmlLine(element: XmlElement): string {
  return toUnicodeLine(element).replace(/[^\x00-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`)
}

const escapePretty = (text: string): string => escapeMarkup(text).replaceAll('"', '&quot;')

function pretty({ name, attributes, children }: XmlElement, indent: string, step: string): string {
  let line = `${indent}<${name}`
  for (const [key, value] of attributes) line += ` ${key}="${escapePretty(value)}"`
  if (children.length === 0) return `${line}/>\n`
  const [only] = children
  if (children.length === 1 && typeof only === 'string') return `${line}>${escapePretty(only)}</${name}>\n`
  const inner = children.map((child) =>
    typeof child === 'string' ? `${indent}${step}${escapePretty(child)}\n` : pretty(child, indent + step, step),
  )
  return `${line}>\n${inner.join('')}${indent}</${name}>\n`
}

/** minidom's `toprettyxml`. */
export function prettyXml(root: XmlElement, step: string): string {
  return `<?xml version="1.0" ?>\n${pretty(root, '', step)}`
}

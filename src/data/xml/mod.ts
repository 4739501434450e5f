export type { XmlElement } from './element.ts'
export { findXml } from './find.ts'
export { parseXml } from './parse.ts'
export { prettyXml, xmlLine } from './write.ts'

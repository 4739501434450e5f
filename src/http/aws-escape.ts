/** Return a text as a part of an address, in the way that signatures of AWS need. */
export const awsEscaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

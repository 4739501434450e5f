// Tags in written form: characters that are invalid in a URI become `%` octets.

const LIBYAML_SAFE = /[^\w;/?:@&=+$,.~*'()[\]-]/gu
const PURE_SAFE = /[^\w;/?:@&=+$,.~*'()[\]!-]/gu

/** `bang` leaves `!` as it is. */
export function escapeTag(text: string, bang: boolean): string {
  return text.replace(bang ? PURE_SAFE : LIBYAML_SAFE, (char) =>
    Array.from(Buffer.from(char), (octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
}

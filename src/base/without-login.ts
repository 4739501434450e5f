/** Return an address, perhaps after a branch, as logs and answers may show it: without password, and with the user of SSH only. */
export function withoutLogin(url: string): string {
  return url.replace(/(?<=^|\s)([A-Za-z][\w+.-]*:\/\/)[^/?#]*@/, (whole, scheme: string) =>
    /^(ssh|sftp|git\+ssh|ssh\+git):/i.test(scheme) && !whole.slice(scheme.length).includes(':') ? whole : scheme,
  )
}

// Which hosts are this machine alone.

/** An IPv6 address comes without its brackets. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)

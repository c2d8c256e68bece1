/** OpenSSL's codes for an untrusted certificate, as Node reports them. */
export const certificateCode =
  /CERT|ISSUER|UNABLE_TO_VERIFY|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/

filedesc://sample.arc 0.0.0.0 20260105120000 text/plain 73
1 0 robots-scan
URL IP-address Archive-date Content-type Archive-length


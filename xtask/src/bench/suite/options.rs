//! The command line of the suite.

/// Options: what to measure, and how often.
pub(super) struct Options {
    only: Vec<String>,
    pub(super) quick: bool,
    pub(super) rounds: usize,
    pub(super) threads: Vec<u64>,
    write: bool,
    pub(super) page: bool,
    pub(super) far: bool,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Box<dyn std::error::Error>> {
        let mut options = Self {
            only: Vec::new(),
            quick: false,
            rounds: 0,
            threads: Vec::new(),
            write: false,
            page: false,
            far: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--far" => options.far = true,
                "--page" => options.page = true,
                "--only" => options.only.extend(value()?.split(',').map(str::to_owned)),
                "--rounds" => options.rounds = value()?.parse()?,
                "--threads" => {
                    let threads = value()?.split(',').map(str::parse);
                    options.threads = threads.collect::<Result<_, _>>()?;
                }
                other => return Err(format!("unknown option `{other}`").into()),
            }
        }
        if options.threads.is_empty() {
            options.threads = if options.quick { vec![1] } else { vec![1, 2] };
        }
        if options.rounds == 0 {
            options.rounds = if options.quick { 1 } else { 3 };
        }
        Ok(options)
    }

    /// True if a workload is selected: its name contains one of the parts.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part))
    }

    pub(super) fn scale(&self) -> &'static str {
        if self.quick { "quick" } else { "full" }
    }

    /// True if the page is to be written: on request, or after a run of all workloads with full-size arrays.
    pub(super) fn writes_page(&self) -> bool {
        self.write || (!self.quick && self.only.is_empty())
    }
}

//! `cargo xtask interop-stores`: golden arrays and random histories in object stores, on real servers: moto for S3,
//! azurite for Azure, WsgiDAV for plain HTTP. TileDB and the program read and write the same arrays there.
//!
//! `xtask/interop/stores.py` lists the arrays for each server. TileDB and the program take the same settings, from the
//! environment. Azurite comes from npm; without npm its part is skipped, with a notice.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::{is_there, output, succeed};
use crate::interop::{compare, parse};
use crate::outcome::Outcome;
use crate::programs;
use crate::requests;
use crate::server::{Server, Settings, log_file};
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// npm package of a server with Azure's protocol.
const AZURITE: &str = "azurite@3.37.0";

struct Stores<'a> {
    workshop: &'a Workshop,
    folder: PathBuf,
    program: PathBuf,
    seed: String,
    count: String,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let options = parse(arguments, &workshop)?;
    let folder = workshop.scratch().join("stores");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let stores = Stores {
        workshop: &workshop,
        folder,
        program: programs::tdb()?,
        seed: options.seed,
        count: options.given.unwrap_or("6".to_owned()),
    };
    stores.s3()?;
    stores.http()?;
    stores.azure()
}

impl Stores<'_> {
    fn s3(&self) -> Outcome {
        let (moto, settings) = moto(self.workshop, &self.folder)?;
        self.hold("s3", "s3://tdbtest", &settings, &self.count)?;
        self.profile("s3://tdbtest", moto.port)?;
        let server = (moto.port, &settings);
        requests::check(&self.program, "s3://tdbtest", server, &self.folder)
    }

    /// Checks that an AWS profile alone leads the program to the server, with its keys.
    fn profile(&self, uri: &str, port: u16) -> Outcome {
        let (config, credentials) = (self.folder.join("config"), self.folder.join("credentials"));
        let server = format!("region = us-east-1\nendpoint_url = http://127.0.0.1:{port}\n");
        fs::write(&config, format!("[profile team]\n{server}"))?;
        let keys = "aws_access_key_id = testing\naws_secret_access_key = testing\n";
        fs::write(&credentials, format!("[team]\n{keys}"))?;
        let asked = |verb: &str, profile: &str| {
            let mut command = Command::new(&self.program);
            let command = command.args([verb, uri]).env("AWS_PROFILE", profile);
            let command = command.env("AWS_CONFIG_FILE", &config);
            command
                .env("AWS_SHARED_CREDENTIALS_FILE", &credentials)
                .env_remove("AWS_ACCESS_KEY_ID")
                .output()
        };
        let said = asked("doctor", "team")?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        if !said.contains("the profile team of AWS's files")
            || !asked("ls", "team")?.status.success()
        {
            return Err(format!("a profile does not lead to the server: {said}").into());
        }
        let typo = asked("ls", "typo")?;
        let said = String::from_utf8_lossy(&typo.stderr).into_owned();
        if typo.status.success() || !said.contains("AWS_PROFILE is \"typo\"") {
            return Err(format!("a profile that is not there: {said}").into());
        }
        println!("   s3: a profile leads to the server");
        Ok(())
    }

    fn azure(&self) -> Outcome {
        let Some(azurite) = self.azurite()? else {
            println!("NOT CHECKED: azure: no npm to install azurite with");
            return Ok(());
        };
        let log = log_file(&self.folder, "azurite")?;
        let data = self.folder.join("azurite");
        let server = Server::start(&log, |port| {
            let mut command = Command::new(azurite);
            command.args([
                "--disableTelemetry",
                "--silent",
                "--skipApiVersionCheck",
                "--blobHost",
                "127.0.0.1",
                "--blobPort",
                &port.to_string(),
                "--location",
            ]);
            command.arg(data);
            command
        })?;
        let account = "devstoreaccount1";
        // The key of all Azure emulators, from Azure's documentation.
        let key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
        let settings = vec![
            ("TILEDB_VFS_AZURE_STORAGE_ACCOUNT_NAME", account.to_owned()),
            ("TILEDB_VFS_AZURE_STORAGE_ACCOUNT_KEY", key.to_owned()),
            (
                "TILEDB_VFS_AZURE_BLOB_ENDPOINT",
                format!("http://127.0.0.1:{}/{account}", server.port),
            ),
        ];
        self.hold("azure", "azure://tdbtest", &settings, "2")
    }

    /// Returns the path of azurite, installed by npm; `None` without npm.
    fn azurite(&self) -> Result<Option<PathBuf>, Box<dyn Error>> {
        let folder = self.workshop.scratch().join("azurite");
        let program = folder.join("node_modules/.bin/azurite-blob");
        // Written last, so that an incomplete installation is repeated.
        let complete = folder.join("complete");
        if complete.exists() {
            return Ok(Some(program));
        }
        if !is_there(Command::new("npm").arg("--version")) {
            return Ok(None);
        }
        fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]);
        succeed(npm.arg(&folder).arg(AZURITE))?;
        fs::write(complete, AZURITE)?;
        Ok(Some(program))
    }

    /// Tests golden arrays on a read-only file server.
    fn http(&self) -> Outcome {
        let log = log_file(&self.folder, "wsgidav")?;
        let python = self.workshop.python();
        let server = Server::start(&log, |port| {
            let mut command = Command::new(python);
            command.args([
                "-m",
                "wsgidav.server.server_cli",
                "--host",
                "127.0.0.1",
                "--auth",
            ]);
            command.args(["anonymous", "--port", &port.to_string(), "--root"]);
            command.arg(root().join("fixtures"));
            command
        })?;
        let uri = format!("http://127.0.0.1:{}", server.port);
        self.hold("http", &uri, &Settings::new(), "0")
    }

    /// Has `stores.py` compare reads, and runs `lives` random histories below a URI.
    fn hold(&self, name: &str, uri: &str, settings: &Settings, lives: &str) -> Outcome {
        let library = self.workshop.library(JUDGE.0, JUDGE.1)?;
        let script = |script: &str| {
            let mut command = Command::new(self.workshop.python());
            command
                .arg("-B")
                .arg(root().join("xtask/interop").join(script));
            command.arg(&library).arg(root().join("fixtures/recipes"));
            command.envs(settings.iter().cloned());
            command
        };
        let mut stores = script("stores.py");
        stores.args([Path::new(uri), &root().join("fixtures"), &self.program]);
        print!("{}", output(&mut stores)?);
        if lives == "0" {
            return Ok(());
        }
        let folder = self.folder.join(format!("life-{name}"));
        let mut life = script("life.py");
        life.arg(&folder).args([&self.seed, lives]);
        life.arg(&self.program).args(["0", uri]);
        print!("{}", output(&mut life)?);
        // The program uses the same server as TileDB did.
        compare(&self.program, &folder, settings)
    }
}

/// Starts a server with the S3 protocol, and returns the settings that lead to it.
pub(crate) fn moto(
    workshop: &Workshop,
    folder: &Path,
) -> Result<(Server, Settings), Box<dyn Error>> {
    let log = log_file(folder, "moto")?;
    let server = Server::start(&log, |port| {
        let mut command = Command::new(workshop.python());
        command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p"]);
        command.arg(port.to_string());
        command
    })?;
    let settings = vec![
        (
            "TILEDB_VFS_S3_ENDPOINT_OVERRIDE",
            format!("127.0.0.1:{}", server.port),
        ),
        ("TILEDB_VFS_S3_SCHEME", "http".to_owned()),
        ("TILEDB_VFS_S3_USE_VIRTUAL_ADDRESSING", "false".to_owned()),
        ("TILEDB_VFS_S3_REGION", "us-east-1".to_owned()),
        ("TILEDB_VFS_S3_AWS_ACCESS_KEY_ID", "testing".to_owned()),
        ("TILEDB_VFS_S3_AWS_SECRET_ACCESS_KEY", "testing".to_owned()),
    ];
    Ok((server, settings))
}

/// Creates a bucket by a plain PUT request, since the server does not check signatures.
pub(crate) fn make_bucket(workshop: &Workshop, name: &str, settings: &Settings) -> Outcome {
    let server = settings
        .iter()
        .find(|(key, _)| key.ends_with("_ENDPOINT_OVERRIDE"));
    let (_, server) = server.ok_or("settings without a server")?;
    let script = "import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method='PUT'))";
    let mut python = Command::new(workshop.python());
    python.args(["-c", script, &format!("http://{server}/{name}")]);
    output(&mut python)?;
    Ok(())
}
